// What this page has beside the run: files to take home, and perhaps a chart to lie under the maps.
const $ = (id) => document.getElementById(id);

export class Extras {
  constructor(arrived) {
    [this.background, this.picture] = [null, null];
    this.#ask(arrived);
  }

  async #ask(arrived) {
    try {
      const answer = await fetch("/extras");
      if (!answer.ok) throw new Error(answer.status);
      const { downloads, background } = await answer.json();
      offer(downloads);
      if (background) this.#load(background, arrived);
    } catch {
      setTimeout(() => this.#ask(arrived), 3000);
    }
  }

  #load(background, arrived) {
    const image = new Image();
    image.addEventListener("load", () => {
      [this.background, this.picture] = [background, image];
      arrived();
    });
    image.src = "/background.png";
  }

  // Under everything else.
  paint(pen) {
    if (!this.picture) return;
    const { lower, upper } = this.background;
    const [[left, bottom], [right, top]] = [pen.px(...lower), pen.px(...upper)];
    pen.c.imageSmoothingQuality = "high";
    pen.c.drawImage(this.picture, left, top, right - left, bottom - top);
  }
}

function offer(downloads) {
  $("downloads").hidden = !downloads.length;
  $("download-list").replaceChildren(...downloads.map(({ name, title }) => {
    const [item, button, said] = [document.createElement("li"), document.createElement("button"), document.createElement("small")];
    [button.type, button.textContent, button.dataset.file] = ["button", title, name];
    said.setAttribute("role", "status");
    button.addEventListener("click", () => fetchFile(name, button, said));
    item.append(button, said);
    return item;
  }));
}

async function fetchFile(name, button, said) {
  [button.disabled, said.textContent] = [true, "on its way \u2026"];
  try {
    const answer = await fetch(`/download/${name}`);
    if (!answer.ok) throw new Error((await answer.json()).sentence);
    save(await answer.blob(), /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition"))?.[1] ?? name);
    said.textContent = "";
  } catch (error) {
    said.textContent = error instanceof TypeError ? "The page has lost akrig." : error.message;
  }
  button.disabled = false;
}

function save(data, name) {
  const link = document.createElement("a");
  [link.href, link.download] = [URL.createObjectURL(data), name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Menus close when a person has done with them: Escape, or a press elsewhere.
export function startMenus() {
  const open = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("pointerdown", (event) => open().forEach((menu) => menu.contains(event.target) || menu.removeAttribute("open")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    open().forEach((menu) => {
      menu.removeAttribute("open");
      menu.querySelector("summary").focus();
    });
  });
}

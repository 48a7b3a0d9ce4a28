"""What stands beneath each figure of a report."""

CAPTIONS = {
    "mean": "What the readings say about every place.",
    "mean of a survey": "What the soundings say about every place inside the fence, with lines of equal depth. North "
    "is up.",
    "std": "One standard deviation: dark means unsure. In 95 of 100 places the true value should lie within twice as "
    "much of the prediction.",
    "truth": "On the colour scale of the prediction.",
    "error": "On the colour scale of the uncertainty. A good map is dark in the same places in both, and its error is "
    "the larger of the two in at most a third of all places.",
    "profile": "The band reaches two standard deviations to either side of the prediction: in 95 of 100 places the "
    "truth should lie inside. Beneath, the same two standard deviations and the error: where the error rises out of "
    "the band, the truth lies outside the 95 % interval.",
    "profile without truth": "The band reaches two standard deviations to either side of the prediction: in 95 of 100 "
    "places the true value should lie inside.",
    "profiles": "Two rows per mission, all on the same scales. Look for predictions whose band is wide where their "
    "error is large.",
    "comparison": "All on the same scales. Look for maps whose uncertainty is dark where their error is.",
    "curves": "Scores after each epoch. All but coverage should fall; coverage should stay near the dashed line.",
    "curves without truth": "Uncertainty should fall while readings come in.",
    "attention": "Short lengthscales (dark) belong where the field is rough, long ones (bright) where it is smooth.",
    "attention along a line": "Short lengthscales belong where the field is rough, long ones where it is smooth. "
    "Places of like colours in the stacks are treated alike.",
    "calibration": "Coverage: a line on the diagonal means that intervals hold as much of the truth as they promise. "
    "Error by uncertainty: errors should grow with the predicted standard deviation; the band holds half of them.",
    "mission": "Prediction and uncertainty while the readings come in.",
}

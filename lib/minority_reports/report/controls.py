"""Figures to play with in a notebook."""

import base64
import html
import inspect
import io
from collections.abc import Callable, Collection

from minority_reports.front_end import in_jupyterlab


def play(draw: Callable, *given, **choices: Collection):
    """Controls that redraw a figure, for a person with the notebook open in JupyterLab.

    Executed by papermill or nbval, a notebook shows and saves nothing here, so a figure that
    stands for what the controls would show belongs into the cell before.

    Parameters
    ----------
    draw : callable
        Takes `given` and a value for each of `choices`; returns a figure and its data. The
        controls start at its defaults, or else at their first values.
    *given
        What it takes first, and what stays as it is.
    **choices : sequence, or mapping from labels to values
        The values of each argument: numbers on a slider, words in a list.

    Returns
    -------
    ipywidgets.VBox or None
        None without JupyterLab, or if an argument has no value to choose.
    """
    if not in_jupyterlab() or not all(choices.values()):
        return None
    try:
        from ipywidgets import HTML, VBox
    except ImportError:
        print("Controls need the package ipywidgets: `pip install ipywidgets`.")
        return None
    arguments = inspect.signature(draw).parameters
    controls = {name: _control(arguments[name], values) for name, values in choices.items()}
    screen = HTML()

    def redraw(_=None):
        values = {name: control.value for name, control in controls.items()}
        screen.value = _picture(draw, *given, **values)

    for control in controls.values():
        control.observe(redraw, names="value")
    redraw()
    return VBox([*controls.values(), screen])


def _control(argument: inspect.Parameter, choices: Collection):
    """A list of words or a slider over numbers, set to the default of an argument."""
    from ipywidgets import Dropdown, SelectionSlider

    values = list(choices.values() if isinstance(choices, dict) else choices)
    start = argument.default if argument.default in values else values[0]
    kind = Dropdown if isinstance(start, str) else SelectionSlider
    options = choices if isinstance(choices, dict) else [(str(value), value) for value in values]
    return kind(options=options, value=start, description=argument.name.replace("_", " "))


def _picture(draw, *given, **values) -> str:
    """A figure as HTML; what went wrong, if it cannot be drawn."""
    import matplotlib.pyplot as plt

    try:
        figure, _ = draw(*given, **values)
        image = io.BytesIO()
        figure.savefig(image, format="png")
    except Exception as error:
        return f'<pre role="alert">{html.escape(f"{type(error).__name__}: {error}")}</pre>'
    finally:
        plt.close()  # or the notebook would draw it a second time
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
    text = html.escape(" ".join(" ".join(titles).split()))
    content = base64.b64encode(image.getvalue()).decode()
    width = figure.get_figwidth() * figure.dpi  # as large as the notebook's other figures
    return (
        f'<img alt="{text}" src="data:image/png;base64,{content}" '
        f'style="width: {width:.0f}px; max-width: 100%">'
    )

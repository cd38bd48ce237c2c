"""Tables of measurements: a function timed over sizes (x) and over variants (lines)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Benchmark:
    """What to measure and how to show it.

    Attributes:
        x_names: Arguments that run along x; all get the same value, or one each if values are tuples.
        x_vals: Their values.
        line_arg: The argument that tells the variants apart.
        line_vals: Its values.
        line_names: Names of the variants.
        plot_name: Title, and name of files.
        args: Further arguments, the same for all.
        xlabel: Label of the x axis.
        ylabel: Label of the y axis.
        x_log: Whether the x axis is logarithmic.
        y_log: Whether the y axis is logarithmic.
        styles: Colour and line style of each variant.
    """

    x_names: Sequence[str]
    x_vals: Sequence[Any]
    line_arg: str
    line_vals: Sequence[Any]
    line_names: Sequence[str]
    plot_name: str
    args: dict[str, Any]
    xlabel: str = ""
    ylabel: str = ""
    x_log: bool = False
    y_log: bool = False
    styles: Sequence[tuple[str, str]] | None = None


@dataclass
class _Table:
    """Measured values: one row for each x, and for each variant its value, least and largest."""

    names: list[str]
    rows: list[list[Any]] = field(default_factory=list)

    def __str__(self) -> str:
        text = [self.names, *([_format(value) for value in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in text) for i in range(len(self.names))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in text)


def _format(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Mark:
    """A function with its benchmarks; `run` measures them."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None:
        self.fn = fn
        self.benchmarks = benchmarks

    def run(self, show_plots: bool = False, print_data: bool = False, save_path: str = "", return_df: bool = False,
            **kwargs: Any) -> Any:
        """Measure all benchmarks.

        Args:
            show_plots: Show plots; needs matplotlib.
            print_data: Print the tables.
            save_path: Folder for a CSV file a benchmark, and a plot where matplotlib is installed.
            return_df: Give the tables as data frames of pandas (one, or a list).
            kwargs: Passed to the function.
        """
        benchmarks = [self.benchmarks] if isinstance(self.benchmarks, Benchmark) else list(self.benchmarks)
        tables = [self._measure(bench, kwargs) for bench in benchmarks]
        for bench, table in zip(benchmarks, tables, strict=True):
            if print_data:
                print(f"{bench.plot_name}:\n{_only_values(bench, table)}")
            if save_path:
                _save(Path(save_path), bench, table)
            if show_plots or save_path:
                _plot(bench, table, Path(save_path) if save_path else None, show_plots)
        if not return_df:
            return None
        import pandas

        frames = [pandas.DataFrame(table.rows, columns=table.names) for table in map(_only_values, benchmarks, tables)]
        return frames[0] if isinstance(self.benchmarks, Benchmark) else frames

    def _measure(self, bench: Benchmark, kwargs: dict[str, Any]) -> _Table:
        names = [column for name in bench.line_names for column in (name, f"{name}-min", f"{name}-max")]
        table = _Table([*bench.x_names, *names])
        for x in bench.x_vals:
            xs = list(x) if isinstance(x, (tuple, list)) else [x] * len(bench.x_names)
            if len(xs) != len(bench.x_names):
                raise ValueError(f"{bench.plot_name}: {x} has {len(xs)} values for {len(bench.x_names)} arguments")
            row = xs.copy()
            named = dict(zip(bench.x_names, xs, strict=True))
            for line in bench.line_vals:
                result = self.fn(**named, **{bench.line_arg: line}, **bench.args, **kwargs)
                # A function gives one value, or a value with its least and largest.
                row += result if isinstance(result, (tuple, list)) else [result, None, None]
            table.rows.append(row)
        return table


def _only_values(bench: Benchmark, table: _Table) -> _Table:
    count = len(bench.x_names)
    keep = [*range(count), *range(count, len(table.names), 3)]
    return _Table([table.names[i] for i in keep], [[row[i] for i in keep] for row in table.rows])


def _save(folder: Path, bench: Benchmark, table: _Table) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    values = _only_values(bench, table)
    with open(folder / f"{bench.plot_name}.csv", "w", newline="") as file:
        csv.writer(file).writerows([values.names, *values.rows])


def _plot(bench: Benchmark, table: _Table, folder: Path | None, show: bool) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        if show:
            raise
        return  # the CSV file has the data
    figure, axes = plt.subplots()
    x = [row[0] for row in table.rows]
    for i, name in enumerate(bench.line_names):
        column = len(bench.x_names) + 3 * i
        color, style = bench.styles[i] if bench.styles else (None, None)
        axes.plot(x, [row[column] for row in table.rows], label=name, color=color, linestyle=style)
        if all(row[column + 1] is not None for row in table.rows):
            axes.fill_between(x, [row[column + 1] for row in table.rows], [row[column + 2] for row in table.rows],
                              alpha=0.15, color=color)
    axes.legend()
    axes.set(xlabel=bench.xlabel or bench.x_names[0], ylabel=bench.ylabel, title=bench.plot_name,
             xscale="log" if bench.x_log else "linear", yscale="log" if bench.y_log else "linear")
    if folder is not None:
        figure.savefig(folder / f"{bench.plot_name}.png")
    if show:
        plt.show()
    plt.close(figure)


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], Mark]:
    """Make a function that measures one point a set of benchmarks.

    Example:
        >>> @perf_report(Benchmark(["n"], [2**i for i in range(10, 20)], "provider", ["ours", "numpy"],
        ...                        ["Tilewright", "numpy"], "add", args={}))
        ... def benchmark(n, provider):
        ...     return gigabytes_per_second
    """
    return lambda fn: Mark(fn, benchmarks)

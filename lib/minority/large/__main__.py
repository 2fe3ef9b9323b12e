"""The inspector's tool: learn rules from a folder of transactions, and find those to look at.

python -m minority.large learn transactions/ --target fraud --model rules.json
python -m minority.large inspect transactions/ --model rules.json --budget 0.01 --output hits/
"""

import argparse
import sys

_LEARNERS = {"rlsd": "RLSDClassifier", "boxes": "FastBoxesClassifier"}


def _parser(program):
    parser = argparse.ArgumentParser(program, description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)

    learn = commands.add_parser("learn", help="learn rules from a folder of parquet files")
    learn.add_argument("folder", help="folder of parquet files, or one of them")
    learn.add_argument("--target", required=True, help="column to predict; it has two values")
    learn.add_argument("--positive", help="value that counts as positive; else the rarer one")
    learn.add_argument("--learner", choices=_LEARNERS, default="rlsd")
    learn.add_argument("--leave-out", default="", help="columns not to use, with commas")
    learn.add_argument(
        "--set",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a parameter of the learner, such as min_recall 0.1",
    )
    learn.add_argument("--model", required=True, help="file for the rules, as JSON")

    inspect = commands.add_parser("inspect", help="write the rows to look at first, and why")
    inspect.add_argument("folder", help="folder of parquet files, or one of them")
    inspect.add_argument("--model", required=True, help="file with the rules")
    inspect.add_argument("--budget", type=float, default=0.02, help="largest share of the rows")
    inspect.add_argument("--output", required=True, help="folder for the hits")
    return parser


def _learn(args):
    import minority
    from minority.large import save_rules
    from minority.large._hits import open_folder

    learner = getattr(minority, _LEARNERS[args.learner])
    parameters = {name: _value(text) for name, text in args.set}
    known = learner().get_params()
    for name in parameters:
        if name not in known:
            raise ValueError(
                f"{learner.__name__} has no parameter {name!r}; it has {', '.join(known)}."
            )
    dataset = open_folder(args.folder)
    left_out = [name.strip() for name in args.leave_out.split(",") if name.strip()]
    for name in [args.target, *left_out]:
        if name not in dataset.schema.names:
            columns = ", ".join(dataset.schema.names)
            raise ValueError(f"{args.folder} has no column {name!r}; it has {columns}.")
    if args.positive is not None:
        kind = dataset.schema.field(args.target).type
        parameters["pos_label"] = _value(args.positive, is_text=str(kind) == "string")
    kept = [name for name in dataset.schema.names if name not in left_out]
    dataset = dataset.replace_schema(_only(dataset.schema, kept))
    model = learner(**{"random_state": 0, **parameters}).fit(dataset, args.target)
    save_rules(model, args.model, target=args.target, parameters=parameters)
    print(model.to_text())
    print(f"\nRules and their SQL: {args.model}")


def _inspect(args):
    from minority.large import load_rules, write_hits

    hits = write_hits(load_rules(args.model), args.folder, args.output, budget=args.budget)
    print(f"{hits.n_hits:,} of {hits.n_rows:,} rows to look at: {args.output}")


def _only(schema, names):
    for name in schema.names:
        if name not in names:
            schema = schema.remove(schema.get_field_index(name))
    return schema


def _value(text, is_text=False):
    """A number, a truth value or None that a text says, else the text."""
    words = {"None": None, "True": True, "False": False}
    if is_text:
        return text
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def main(arguments=None, program="python -m minority.large"):
    """Run the command line; errors that a user can mend are one line."""
    from minority.large import show_progress

    args = _parser(program).parse_args(arguments)
    try:
        with show_progress(sys.stderr.isatty()):
            {"learn": _learn, "inspect": _inspect}[args.command](args)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main()

"""The classes by name."""

import classes
import files
import talking

CLASSES = {
    "data": (classes.data(), classes.check_data),
    "sparse": (classes.sparse(), classes.check_sparse),
    "points": (classes.points(), classes.check_points),
    "methods": (classes.method_runs(), classes.check_methods),
    "samplings": (classes.sampling_runs(), classes.check_samplings),
    "libsvm": (files.libsvm_files(), files.check_file),
    "csv": (files.csv_files(), files.check_file),
    "npz": (files.npz_files(), files.check_file),
    "uploads": (files.uploads(), files.check_upload),
    "traces": (files.traces(), files.check_trace),
    "messages": (talking.messages(), talking.check_messages),
    "bombs": (talking.bombs(), talking.check_bomb),
    "saved": (talking.saved(), talking.check_saved),
    "commands": (talking.command_lines(), talking.check_command),
}

/* Runs in node, against Python's: prints how far. */

import {compared} from "./comparing.mjs"
import {cases, lab} from "./engine.mjs"

for (const each of cases) console.log(JSON.stringify(await compared(lab, each)))

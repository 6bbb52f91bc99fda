import { fileURLToPath } from 'node:url';
import { runStages } from './run-stages.ts';
import { runStep } from './run-step.ts';
import { STAGES } from './stages.ts';

/** Runs the complete check of a change, after `npm ci`; `.ci/run` calls it. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const cancel = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => cancel.abort());
const passed = await runStages(
  STAGES,
  {
    run: (step, signal) => runStep(step, root, signal),
    print: (text) => process.stdout.write(text),
  },
  cancel.signal,
);
if (!passed) process.exitCode = 1;

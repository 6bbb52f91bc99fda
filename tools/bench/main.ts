/**
 * `npm run bench`: prints what the parts cost on this machine. It judges nothing.
 *
 * `-- --only NAME` runs one part (several: repeat it), `--long` takes more samples, `--profile` says where the CPU time of the measured agent goes, `--list`
 * names the parts.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchRxletCommand } from './rxlet-command.ts';
import type { BenchPart } from './bench-part.ts';
import { benchContainerd } from './containerd.ts';
import { benchCriCalls } from './cri-calls.ts';
import { benchExits, benchHungPods } from './exits.ts';
import { benchFakeRuntime } from './fake-runtime.ts';
import { benchLives } from './lives.ts';
import { benchProber } from './prober.ts';
import { benchRelist } from './relist.ts';
import { benchRest } from './rest.ts';
import { benchStartup } from './startup.ts';
import { benchWorkerSteps } from './worker-steps.ts';

const parts: readonly BenchPart[] = [
  { name: 'fake-runtime', about: 'the fake runtime alone', byDefault: true, run: benchFakeRuntime },
  { name: 'cri-calls', about: 'calls over a socket', byDefault: true, run: benchCriCalls },
  { name: 'relist', about: 'looking at 500 and 2,000 pods', byDefault: true, run: benchRelist },
  { name: 'worker-steps', about: 'pod workers with nothing to do', byDefault: true, run: benchWorkerSteps },
  { name: 'startup', about: '1, 100 and 500 pods from manifests to Running', byDefault: true, run: benchStartup },
  { name: 'exits', about: 'from the exit of a container to the next one', byDefault: true, run: benchExits },
  { name: 'hung-pods', about: 'the same while a pod cannot be read', byDefault: true, run: benchHungPods },
  { name: 'rest', about: 'calls, CPU and memory while nothing happens', byDefault: true, run: benchRest },
  {
    name: 'command',
    about: 'the command rxlet as it is, from source and as it was built',
    byDefault: true,
    run: benchRxletCommand,
  },
  { name: 'lives', about: 'heap growth over many lives of pods', byDefault: true, run: benchLives },
  { name: 'prober', about: '500 probes a second of each kind', byDefault: true, run: benchProber },
  { name: 'containerd', about: 'startup and exits on a real containerd', byDefault: false, run: benchContainerd },
];

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    long: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const load = (): string => `load ${loadavg()[0]!.toFixed(2)}`;

// An end by exit() takes along what runs beside.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const unknown = flags.only?.filter((name) => !parts.some((part) => part.name === name)) ?? [];
if (flags.list || unknown.length > 0) {
  for (const name of unknown) print(`there is no part ${name}; the parts are:`);
  for (const { name, about, byDefault } of parts)
    print(`${name.padEnd(14)}${about}${byDefault ? '' : ' (only when asked for)'}`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  print(`Node ${process.version}, ${String(cpus().length)} × ${cpus()[0]?.model ?? 'unknown CPU'}, ${load()}`);
  for (const { name, byDefault, run } of parts) {
    if (!(flags.only?.includes(name) ?? byDefault)) continue;
    print(`${name} (${load()})`);
    await run({ print: (line) => print(`  ${line}`), long: flags.long, profile: flags.profile });
  }
}

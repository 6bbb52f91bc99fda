/** `npm run bench`: prints what the parts cost on this machine. It judges nothing. */
import { cpus } from 'node:os';
import { benchAgent } from './agent-runs.ts';
import { benchCriCalls } from './cri-calls.ts';
import { benchFakeRuntime } from './fake-runtime.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

print(`Node ${process.version}, ${String(cpus().length)} × ${cpus()[0]?.model ?? 'unknown CPU'}`);
await benchFakeRuntime(print);
await benchCriCalls(print);
await benchAgent(print, 0, 10);
await benchAgent(print, 100);
await benchAgent(print, 500);
await benchAgent(print, 110, 20);

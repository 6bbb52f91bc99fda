import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { environment, runCommand } from './run-command.ts';

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

/** Runs the installed commands: an agent with the shipped example pods on its embedded runtime, and one on the installed fake runtime. */
export async function runInstalledCommands(folder: string): Promise<void> {
  const examples = join(folder, 'node_modules/rxlet/examples');
  await withAgent(folder, 'embedded', ['--fake-runtime', '--pod-manifest-path', examples]);
  const socket = join(folder, 'runtime.sock');
  await using runtime = start(folder, 'fake-runtime', ['--listen', `unix://${socket}`]);
  await until('socket of the fake runtime', () => existsSync(socket), runtime);
  await withAgent(folder, 'separate', [
    '--container-runtime-endpoint',
    `unix://${socket}`,
    '--pod-manifest-path',
    examples,
  ]);
  await runtime.stop();
}

async function withAgent(folder: string, name: string, flags: readonly string[]): Promise<void> {
  const root = join(folder, name);
  const config = join(folder, `${name}.json`);
  const kubelet = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ['none'],
    podLogsDir: `${root}-logs`,
  };
  await writeFile(config, JSON.stringify(kubelet));
  await using agent = start(folder, 'rxlet', [...flags, '--root-dir', root, '--config', config]);
  const command = join(folder, 'node_modules/.bin/rxlet');
  const anyRuns = async (): Promise<boolean> =>
    /\bRunning\b/.test(await runCommand(command, ['get', 'pods', '--root-dir', root], folder).catch(String));
  await until('running example pod', anyRuns, agent);
  await agent.stop();
}

async function until(what: string, met: () => boolean | Promise<boolean>, command: RunningCommand): Promise<void> {
  const deadlineMs = systemClock.monotonicNow() + START_TIMEOUT_MS;
  while (!(await met())) {
    if (systemClock.monotonicNow() > deadlineMs)
      throw new Error(`no ${what} after ${String(START_TIMEOUT_MS)} ms: ${command.errors()}`);
    await sleep(systemClock, POLL_MS);
  }
}

interface RunningCommand extends AsyncDisposable {
  errors(): string;
  /** Sends SIGTERM and waits for the end; a failure exit code is an error. */
  stop(): Promise<void>;
}

function start(folder: string, command: string, args: readonly string[]): RunningCommand {
  const child = spawn(join(folder, 'node_modules/.bin', command), args, {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const exited = once(child, 'exit') as Promise<[code: number | null]>;
  return {
    errors: () => errors,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await exited;
      if (code !== 0) throw new Error(`${command} ended with code ${String(code)}: ${errors}`);
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}

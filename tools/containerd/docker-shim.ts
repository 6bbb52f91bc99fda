import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DOCKER_PAUSE_REFERENCE, type PrivateDockerd } from './private-dockerd.ts';

const COMMAND = fileURLToPath(new URL('../../apps/docker-shim/bin/docker-shim', import.meta.url));

/** A `docker-shim` process on a private dockerd. */
export interface RunningShim extends AsyncDisposable {
  readonly endpoint: string;
  /** Output on standard error. */
  stderr(): string;
  /** Kills the process and starts it again. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts the command and resolves once it listens. */
export async function startShim(dockerd: PrivateDockerd, directory: string): Promise<RunningShim> {
  mkdirSync(directory, { recursive: true });
  const endpoint = `unix://${join(directory, 'cri.sock')}`;
  const flags = {
    'container-runtime-endpoint': endpoint,
    'docker-endpoint': `unix://${dockerd.socketPath}`,
    'pod-infra-container-image': DOCKER_PAUSE_REFERENCE,
    'cri-dockerd-root-directory': join(directory, 'state'),
    'cni-conf-dir': dockerd.cniConfigFolder,
    'cni-bin-dir': dockerd.cniPluginFolder,
    v: '1',
  };
  let stderr = '';
  let child: ChildProcess;
  const launch = async (): Promise<void> => {
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    // In a container, Docker may not lower a score.
    args.push('--restrict-oom-score-adj');
    const environment = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
    const started = spawn(COMMAND, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
    child = started;
    started.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = once(started, 'exit').then(([code]) => {
      throw new Error(`docker-shim ended with ${String(code)}: ${stderr}`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(createInterface(started.stdout), 'line'), ended]);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  await launch();
  return {
    endpoint,
    stderr: () => stderr,
    async restart(signal) {
      await end(signal);
      await launch();
    },
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

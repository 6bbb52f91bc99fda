import type { Duplex } from 'node:stream';
import { type Clock, DeadlineExceededError, onAbort, sleep, withDeadline } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { DockerEngine } from '../engine/docker-engine.ts';
import type { DockerExec } from '../engine/docker-types.ts';
import { type OutputStream, readFrames } from '../engine/multiplexed-stream.ts';
import type { HostAccess } from '../host-access.ts';

/** Output and exit code of a command. */
export interface ExecResult {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

/** Ports of {@link execSync}. */
export interface ExecPorts {
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly host: HostAccess;
}

/** Largest output on each stream; the rest is dropped, as in other runtimes. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Pauses between two looks whether a command has ended. They double from the first to the last. */
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 500;

/**
 * Runs a command in a container. Rejects with DeadlineExceeded after `timeoutSeconds` (0: none) and then kills the command, which Docker itself would let run.
 */
export async function execSync(
  ports: ExecPorts,
  containerId: string,
  cmd: readonly string[],
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<ExecResult> {
  const { engine, clock } = ports;
  const body = { AttachStdout: true, AttachStderr: true, Cmd: cmd };
  const { Id } = await engine.json<{ Id: string }>('POST', `/containers/${containerId}/exec`, { body, signal });
  const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : Infinity;
  try {
    return await withDeadline(clock, timeoutMs, signal, async (deadline) => {
      const output = await run(engine, Id, deadline);
      return { ...output, exitCode: await exitCodeOf(ports, Id, output.stdout, deadline) };
    });
  } catch (error) {
    if (!(error instanceof DeadlineExceededError) && !signal.aborted) throw error;
    await killExec(ports, Id);
    if (signal.aborted) throw error;
    const command = cmd.join(' ');
    throw new ServiceError(
      StatusCode.DeadlineExceeded,
      `command ${JSON.stringify(command)} timed out: no end within ${String(timeoutSeconds)} s`,
    );
  }
}

async function run(engine: DockerEngine, id: string, signal: AbortSignal): Promise<Omit<ExecResult, 'exitCode'>> {
  const stream = await engine.hijack(`/exec/${id}/start`, { body: { Detach: false, Tty: false }, signal });
  using _listener = onAbort(signal, () => stream.destroy());
  try {
    signal.throwIfAborted();
    return await collect(stream);
  } finally {
    stream.destroy();
  }
}

async function collect(stream: Duplex): Promise<Omit<ExecResult, 'exitCode'>> {
  const outputs: Record<OutputStream, CollectedOutput> = { stdout: createOutput(), stderr: createOutput() };
  for await (const frames of readFrames(stream)) for (const { stream: name, data } of frames) outputs[name].add(data);
  return { stdout: outputs.stdout.bytes(), stderr: outputs.stderr.bytes() };
}

/** Output of a command up to its limit, in one buffer: a command may write it in millions of pieces. */
interface CollectedOutput {
  add(data: Buffer): void;
  bytes(): Uint8Array;
}

const FIRST_BUFFER_BYTES = 4096;

function createOutput(): CollectedOutput {
  let buffer: Buffer = Buffer.alloc(0);
  let used = 0;
  return {
    add(data) {
      const end = Math.min(used + data.length, MAX_OUTPUT_BYTES);
      if (end > buffer.length) {
        const capacity = Math.max(FIRST_BUFFER_BYTES, buffer.length * 2, end);
        buffer = Buffer.concat([buffer.subarray(0, used)], Math.min(capacity, MAX_OUTPUT_BYTES));
      }
      data.copy(buffer, used, 0, end - used);
      used = end;
    },
    bytes: () => buffer.subarray(0, used),
  };
}

/**
 * Waits for the end of a command and returns its exit code. That may be long after the end of the output: a shell with `> /dev/null` closes it at once. Rejects when the program
 * could not be started.
 */
export async function exitCodeOf(
  { engine, clock }: Pick<ExecPorts, 'engine' | 'clock'>,
  id: string,
  output: Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LAST_POLL_MS)) {
    const { Running, ExitCode, Pid } = await engine.json<DockerExec>('GET', `/exec/${id}/json`, { signal });
    if (!Running && ExitCode !== null) {
      if (Pid !== 0) return ExitCode;
      const why = Buffer.from(output).toString('utf8').trim();
      throw new ServiceError(StatusCode.Unknown, `cannot start the command: ${why || `exit code ${String(ExitCode)}`}`);
    }
    await sleep(clock, pollMs, signal);
  }
}

/** Kills the process of a command, if it still runs. */
async function killExec({ engine, host }: ExecPorts, id: string): Promise<void> {
  const { Running, Pid } = await engine.json<DockerExec>('GET', `/exec/${id}/json`);
  if (Running && Pid > 0) host.killProcess(Pid);
}

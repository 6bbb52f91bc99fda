import { lstat } from 'node:fs/promises';
import { basename, posix, resolve } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { UsageError } from '../../config/config-error.ts';
import { AgentConnectionError } from '../agent-connection.ts';
import { chooseContainer } from '../choose-container.ts';
import { findPod } from '../find-pod.ts';
import { CommandExitError } from '../streams/command-exit-error.ts';
import { execPath, rejectCompleted } from '../streams/exec.ts';
import type { StreamCommandContext } from '../streams/stream-context.ts';
import { runStreamSession } from '../streams/stream-session.ts';
import { type FileSpec, parseFileSpec } from './file-spec.ts';
import { packFiles } from './pack-files.ts';
import { unpackFiles } from './unpack-files.ts';

/** Options of {@link copyCommand}. */
export interface CopyOptions {
  readonly source: string;
  readonly destination: string;
  readonly namespace: string;
  readonly container?: string;
  /** Owner and mode of the files are not kept in the container. */
  readonly noPreserve: boolean;
}

type RemoteFile = FileSpec & { readonly kind: 'remote' };

/** Runs a command in the container of a copy. Input and output that are not given are empty and dropped. */
type RunInContainer = (
  command: readonly string[],
  streams: { readonly stdin?: Readable; readonly stdout?: Writable; readonly stderr?: Writable },
) => Promise<void>;

/**
 * Runs `rxlet cp`, as `kubectl cp` does it: with the program `tar` of the container.
 * @throws CommandExitError with the exit code of tar
 */
export async function copyCommand(context: StreamCommandContext, options: CopyOptions): Promise<void> {
  const [source, destination] = [parseFileSpec(options.source), parseFileSpec(options.destination)];
  if (source.kind === 'remote' && destination.kind === 'remote') {
    throw new UsageError('one of src or dest must be a local file specification');
  }
  if (source.kind === 'remote') await copyFromPod(context, options, source, destination.path);
  else if (destination.kind === 'remote') await copyToPod(context, options, source.path, destination);
  else throw new UsageError('one of src or dest must be a remote file specification');
}

async function copyToPod(
  context: StreamCommandContext,
  options: CopyOptions,
  source: string,
  destination: RemoteFile,
): Promise<void> {
  const { console, terminal } = context;
  await lstat(source).catch(() => {
    throw new AgentConnectionError(`${source} doesn't exist in local filesystem`);
  });
  const run = await containerOf(context, options, destination);
  const isDirectory = await succeeds(run(['test', '-d', destination.path], {}));
  const target = isDirectory ? posix.join(destination.path, basename(resolve(source))) : destination.path;
  const flags = options.noPreserve ? ['--no-same-permissions', '--no-same-owner'] : [];
  const archive = packFiles(source, posix.basename(target), (message) => terminal.printError(message));
  let failure: Error | undefined;
  archive.on('error', (error) => (failure = error));
  const { stdout, stderr } = console;
  const copied = run(['tar', ...flags, '-xmf', '-', '-C', posix.dirname(target)], { stdin: archive, stdout, stderr });
  await copied.catch((error: unknown) => {
    throw failure ?? error;
  });
  if (failure !== undefined) throw failure;
}

async function copyFromPod(
  context: StreamCommandContext,
  options: CopyOptions,
  source: RemoteFile,
  destination: string,
): Promise<void> {
  const { console, terminal } = context;
  const run = await containerOf(context, options, source);
  const archive = new PassThrough();
  const packed = run(['tar', 'cf', '-', source.path], { stdout: archive, stderr: console.stderr }).finally(() =>
    archive.end(),
  );
  const unpacked = unpackFiles(archive, {
    source: source.path,
    destination,
    warn: (message) => terminal.printError(message),
  }).catch((error: unknown) => {
    // Ends tar, whose output has no reader any more.
    archive.destroy();
    throw error;
  });
  const [packing, unpacking] = await Promise.allSettled([packed, unpacked]);
  if (packing.status === 'rejected' && packing.reason instanceof CommandExitError) throw packing.reason;
  if (unpacking.status === 'rejected') throw unpacking.reason;
  if (packing.status === 'rejected') throw packing.reason;
}

async function containerOf(
  context: StreamCommandContext,
  options: CopyOptions,
  file: RemoteFile,
): Promise<RunInContainer> {
  const { connection, console, terminal } = context;
  const pod = await findPod(connection, file.pod, file.namespace ?? options.namespace, terminal.signal);
  rejectCompleted(pod, 'exec into');
  const { name } = chooseContainer(pod, options.container, (notice) => terminal.printError(notice));
  return async (command, { stdin, stdout, stderr }) => {
    const streams = {
      stdin: stdin ?? new PassThrough().end(),
      stdout: stdout ?? new PassThrough().resume(),
      stderr: stderr ?? new PassThrough().resume(),
    };
    await runStreamSession(
      { ...context, console: { ...console, ...streams } },
      {
        path: execPath(pod, name, command),
        options: { stdin: stdin !== undefined, stdout: true, stderr: true, tty: false },
      },
    );
  };
}

/** Reports whether a command had exit code 0. Other failures are those of the copy. */
async function succeeds(run: Promise<void>): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (error instanceof CommandExitError && error.message !== '') return false;
    throw error;
  }
}

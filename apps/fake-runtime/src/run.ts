import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage, seededRandom, systemClock, systemRandom } from '@rxlet/component-base';
import { type CommandIo, createConsoleLogger, runParsed, USAGE_ERROR } from '@rxlet/component-base/command';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { serveCri, UnixSocketError, UnsupportedAddressError } from '@rxlet/cri-server';
import { createFakeRuntime, createFileLogs, type FakeRuntimeOptions } from '@rxlet/fake-cri';
import { createNodeHostFiles } from '@rxlet/fake-cri/files';
import { createFileStateStore, StateFileError } from '@rxlet/node-files/state-file';
import { routeExtras } from './extra-routes.ts';
import { type Flags, parseFlags } from './flags.ts';
import { InputFileError, readInputFiles } from './input-files.ts';

/** Runs `fake-runtime` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line or file, 1 when it cannot listen. */
export function run(args: readonly string[], io: CommandIo): Promise<number> {
  return runParsed('fake-runtime', parseFlags(args), io, (flags) => reportErrors(flags, io));
}

/** Runs the command. An expected failure is one line on standard error. */
async function reportErrors(flags: Flags, io: CommandIo): Promise<number> {
  try {
    return await serve(flags, io);
  } catch (error) {
    const isUsage = [InputFileError, StateFileError, UnsupportedAddressError].some((type) => error instanceof type);
    if (!isUsage && !(error instanceof UnixSocketError)) throw error;
    const flag = error instanceof UnixSocketError ? ' (--listen)' : '';
    io.stderr(`fake-runtime: ${errorMessage(error)}${flag}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

async function serve(flags: Flags, io: CommandIo): Promise<number> {
  const { listen, latencyMs, podNetwork } = flags;
  const options: FakeRuntimeOptions = { ...(await readInputFiles(flags)), latencyMs, podNetwork };
  const logger = createConsoleLogger(io.stderr, flags.verbosity);
  const virtualClock = flags.virtualClock ? createVirtualClock() : undefined;
  const sandboxRoots = sandboxRootsOf(flags);
  await using fake = createFakeRuntime(
    {
      clock: virtualClock ?? systemClock,
      random: flags.seed === undefined ? systemRandom : seededRandom(flags.seed),
      logger,
      logs: createFileLogs(logger, sandboxRoots),
      hostFiles: createNodeHostFiles(sandboxRoots),
      ...(flags.stateFile !== undefined && { stateStore: createFileStateStore(flags.stateFile) }),
    },
    options,
  );
  await using server = await serveCri(fake, {
    listen,
    logger,
    routes: (router) => routeExtras(router, fake, virtualClock),
  });
  io.stdout(`fake runtime listening on ${server.address}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  return 0;
}

/** Default directories of logs and volumes of a kubelet, and of `rxlet`. */
const AGENT_DEFAULTS: readonly string[] = ['/var/log/pods', '/var/lib/kubelet'];

/** Returns the directories that container logs and mounts must be in. Throws {@link InputFileError} for one that does not exist. */
function sandboxRootsOf({ sandboxRoot, listen }: Flags): readonly string[] {
  // serveCri reports a socket whose folder is missing.
  if (sandboxRoot === undefined) return [dirname(listen.replace(/^unix:\/\//, '')), ...AGENT_DEFAULTS];
  if (statSync(sandboxRoot, { throwIfNoEntry: false })?.isDirectory() === true) return [sandboxRoot];
  throw new InputFileError(`cannot use the sandbox root ${sandboxRoot}: it is not a directory (--sandbox-root)`);
}

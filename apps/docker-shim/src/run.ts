import { once } from 'node:events';
import { createCni, runProcess } from '@rxlet/cni';
import { errorMessage, systemClock, systemRandom } from '@rxlet/component-base';
import { type CommandIo, createConsoleLogger, runParsed, USAGE_ERROR } from '@rxlet/component-base/command';
import { serveCri, UnixSocketError, UnsupportedAddressError } from '@rxlet/cri-server';
import { createCniNetwork, createDockerCri } from '@rxlet/docker-cri';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { type Flags, parseFlags } from './flags.ts';

/** The parts of the process that the command uses. */
export interface Io extends CommandIo {
  /** Environment of CNI plugins. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs `docker-shim` until `io.signal` aborts. @returns its exit code: 2 for a wrong command line, 1 when it cannot listen or write its checkpoints. */
export function run(args: readonly string[], io: Io): Promise<number> {
  return runParsed('docker-shim', parseFlags(args), io, (flags) => reportErrors(flags, io));
}

/** Runs the command. An expected failure is one line on standard error. */
async function reportErrors(flags: Flags, io: Io): Promise<number> {
  try {
    return await serve(flags, io);
  } catch (error) {
    const isUsage = error instanceof UnsupportedAddressError;
    if (!isUsage && !(error instanceof UnixSocketError) && !(error instanceof StartError)) throw error;
    const flag = error instanceof UnixSocketError ? ' (--container-runtime-endpoint)' : '';
    io.stderr(`docker-shim: ${errorMessage(error)}${flag}\n`);
    return isUsage ? USAGE_ERROR : 1;
  }
}

/** A directory of the shim cannot be used. */
class StartError extends Error {
  override readonly name = 'StartError';
}

async function serve(flags: Flags, io: Io): Promise<number> {
  const { listen, dockerSocket, rootDirectory, cniCacheFolder, verbosity } = flags;
  const logger = createConsoleLogger(io.stderr, verbosity);
  if (flags.hairpinMode !== 'none') {
    const { hairpinMode } = flags;
    logger.warn('the hairpin mode has no effect: set "hairpinMode" in the CNI configuration', { hairpinMode });
  }
  const cni = createCni(
    {
      clock: systemClock,
      hostFiles: createHostFiles(),
      nodeFiles: createNodeFiles({ roots: [cniCacheFolder] }),
      runProcess,
      logger,
    },
    {
      configFolder: flags.cniConfigFolder,
      pluginFolders: flags.cniPluginFolders,
      cacheFolder: cniCacheFolder,
      environment: io.environment,
    },
  );
  await using docker = createDockerCri(
    { clock: systemClock, random: systemRandom, logger, network: createCniNetwork(cni) },
    {
      socketPath: dockerSocket,
      rootDirectory,
      sandboxImage: flags.sandboxImage,
      imagePullProgressDeadlineMs: flags.pullProgressDeadlineMs,
      restrictOomScoreAdj: flags.restrictOomScoreAdj,
    },
  );
  // First, so that a second shim ends before it touches the first one's logs.
  await using server = await serveCri(docker, { listen, logger });
  try {
    await docker.start();
  } catch (error) {
    throw new StartError(`cannot write checkpoints in ${rootDirectory}: ${errorMessage(error)}`, { cause: error });
  }
  const { status } = await docker.runtime.status({});
  // The shim serves all the same: both may become ready later.
  for (const { status: isReady, message } of status?.conditions ?? []) if (!isReady) logger.warn(message);
  io.stdout(`docker-shim listening on ${server.address}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  return 0;
}

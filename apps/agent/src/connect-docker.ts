import { createCni, runProcess } from '@rxlet/cni';
import { errorMessage, type Logger, systemClock, systemRandom } from '@rxlet/component-base';
import { createCniNetwork, createDockerCri } from '@rxlet/docker-cri';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { containerEventHints } from '@rxlet/pleg';
import type { RuntimeChoice } from './config/choose-runtime.ts';
import { ConfigError } from './config/config-error.ts';
import type { RuntimeConnection } from './runtime-connection.ts';

/** Timeout of the first call. It is shorter than that of later calls, so that a Docker that hangs is reported soon. */
const FIRST_CALL_TIMEOUT_MS = 15_000;

/**
 * Creates a runtime on Docker in this process. With `isReadOnly` it leaves the work for containers that run, such as their logs, to the agent that has them.
 *
 * @throws ConfigError when Docker does not answer, or the directory of checkpoints cannot be written
 */
export async function connectDocker(
  choice: Extract<RuntimeChoice, { kind: 'docker' }>,
  logger: Logger,
  signal: AbortSignal,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): Promise<RuntimeConnection> {
  const { socketPath, sandboxImage, cniConfigFolder, cniPluginFolders, restrictOomScoreAdj, rootDirectory } = choice;
  const nodeFiles = createNodeFiles({ roots: [rootDirectory] });
  const cni = createCni(
    { clock: systemClock, hostFiles: createHostFiles(), nodeFiles, runProcess, logger },
    {
      ...(cniConfigFolder !== undefined && { configFolder: cniConfigFolder }),
      ...(cniPluginFolders !== undefined && { pluginFolders: cniPluginFolders }),
      cacheFolder: `${rootDirectory}/cni`,
      environment: Object.fromEntries(
        Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
    },
  );
  const docker = createDockerCri(
    { clock: systemClock, random: systemRandom, logger, network: createCniNetwork(cni) },
    {
      ...(socketPath !== undefined && { socketPath }),
      ...(sandboxImage !== undefined && { sandboxImage }),
      restrictOomScoreAdj,
      rootDirectory,
    },
  );
  try {
    if (!isReadOnly) await docker.start();
    await docker.runtime.version({}, { signal, timeoutMs: FIRST_CALL_TIMEOUT_MS });
  } catch (error) {
    await docker[Symbol.asyncDispose]();
    signal.throwIfAborted();
    throw new ConfigError(`cannot run pods on Docker: ${errorMessage(error)}`, { cause: error });
  }
  return { ...docker, hints: [containerEventHints(docker.runtime)] };
}

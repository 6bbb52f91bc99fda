import { errorMessage, type Logger } from '@rxlet/component-base';
import { type HostFiles, systemErrorCode, UnsafeFileError } from '@rxlet/node-files';
import { CniError } from './cni-error.ts';
import {
  type ConfigFile,
  type ConfigProblem,
  isConfigFileName,
  type NetworkConfig,
  selectNetwork,
} from './network-config.ts';
import type { PluginRunner } from './plugin-runner.ts';

const MAX_CONFIG_BYTES = 1024 * 1024;

/** Finds the node's default network. */
export interface NetworkLoader {
  /** Reads the configuration folder, so that a change takes effect at once. @throws CniError when it has no usable network */
  load(signal?: AbortSignal): Promise<NetworkConfig>;
}

/** Creates a {@link NetworkLoader}. The plugins of a network are asked for their versions once, and again when a program changes. */
export function createNetworkLoader(
  hostFiles: HostFiles,
  runner: PluginRunner,
  configFolder: string,
  logger: Logger,
): NetworkLoader {
  let lastProblems = '';
  let lastValidated = '';

  const readFiles = async (): Promise<{ files: readonly ConfigFile[]; unusable: readonly ConfigProblem[] }> => {
    const files: ConfigFile[] = [];
    const unusable: ConfigProblem[] = [];
    for (const { name, path } of await listFolder()) {
      if (!isConfigFileName(name)) continue;
      try {
        const file = await hostFiles.read(path, MAX_CONFIG_BYTES);
        if (file !== undefined) files.push({ name, text: Buffer.from(file.bytes).toString('utf8') });
      } catch (error) {
        // A directory, for instance, which must not hide the networks beside it.
        if (!(error instanceof UnsafeFileError)) throw error;
        unusable.push({ name, message: error.message });
      }
    }
    return { files, unusable };
  };
  const listFolder = async () => {
    try {
      return (await hostFiles.list(configFolder)).entries;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return [];
      throw error;
    }
  };
  const validate = async (network: NetworkConfig, signal?: AbortSignal): Promise<void> => {
    const programs = [];
    for (const type of new Set(network.plugins.map((plugin) => plugin.type))) {
      programs.push({ type, ...(await runner.find(type)) });
    }
    const state = JSON.stringify([network.cniVersion, programs]);
    if (state === lastValidated) return;
    for (const { type } of programs) await checkVersion(runner, type, network.cniVersion, signal);
    lastValidated = state;
  };
  return {
    async load(signal) {
      let read: Awaited<ReturnType<typeof readFiles>>;
      try {
        read = await readFiles();
      } catch (error) {
        throw new CniError('NotConfigured', `cannot read the CNI configuration: ${errorMessage(error)}`, {
          cause: error,
        });
      }
      const selected = selectNetwork(read.files);
      const { network } = selected;
      const problems = [...read.unusable, ...selected.problems];
      const summary = JSON.stringify(problems);
      if (summary !== lastProblems) {
        lastProblems = summary;
        for (const { name, message } of problems) {
          logger.warn('cannot use a network configuration', { folder: configFolder, name, error: message });
        }
      }
      if (network === undefined) {
        const [first] = problems;
        const why = first === undefined ? `no networks found in ${configFolder}` : `${first.name}: ${first.message}`;
        throw new CniError('NotConfigured', `cni config uninitialized: ${why}`);
      }
      await validate(network, signal);
      return network;
    },
  };
}

async function checkVersion(
  runner: PluginRunner,
  type: string,
  cniVersion: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const answer = await runner.run({ type, command: 'VERSION', input: JSON.stringify({ cniVersion }) }, signal);
  const supported = answer?.['supportedVersions'];
  if (Array.isArray(supported) && supported.includes(cniVersion)) return;
  const known = Array.isArray(supported) ? supported.join(', ') : 'none';
  throw new CniError(
    'IncompatibleVersion',
    `plugin "${type}" does not support the CNI version ${cniVersion} of the network: it supports ${known}`,
  );
}

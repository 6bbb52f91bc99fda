import { type Clock, errorMessage, type Logger, noopLogger } from '@rxlet/component-base';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import { type Attachment, checkAttachment, DEFAULT_INTERFACE } from './attachment.ts';
import { CniError } from './cni-error.ts';
import type { JsonObject } from './json.ts';
import { type NetworkConfig, parseNetworkConfig } from './network-config.ts';
import { createNetworkLoader } from './network-loader.ts';
import { pluginInput } from './plugin-request.ts';
import { createPluginRunner } from './plugin-runner.ts';
import { type CachedAttachment, createResultCache } from './result-cache.ts';
import { type CniResult, parseResult } from './result.ts';
import type { RunProcess } from './run-process.ts';
import { isAtLeast } from './version.ts';

/** Access to the node. */
export interface CniPorts {
  readonly clock: Clock;
  /** Reads configurations and finds plugins. */
  readonly hostFiles: HostFiles;
  /** Stores results; {@link CniOptions.cacheFolder} must be below one of its roots. */
  readonly nodeFiles: NodeFiles;
  readonly runProcess: RunProcess;
  /** Default: none. */
  readonly logger?: Logger;
}

/** Settings of {@link createCni}. */
export interface CniOptions {
  /** Folder of network configurations. Default: `/etc/cni/net.d`. */
  readonly configFolder?: string;
  /** Folders of plugins, in order of search. Default: `/opt/cni/bin`. */
  readonly pluginFolders?: readonly string[];
  /** Folder of results. Default: `/var/lib/cni`. */
  readonly cacheFolder?: string;
  /** Environment of plugins, such as `PATH`, besides the variables of the specification. Default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Deadline of each plugin, in milliseconds; then it and its children are killed. Default: 220 000. */
  readonly timeoutMs?: number;
}

/** Readiness of the network. */
export type NetworkStatus =
  { readonly isReady: true; readonly network: string } | { readonly isReady: false; readonly message: string };

/** Connects containers to the node's default network. Calls for one container must not overlap. */
export interface Cni {
  /** Reports whether a network is configured, its plugins are there and, from version 1.1.0 on, they are ready. */
  status(signal?: AbortSignal): Promise<NetworkStatus>;
  /**
   * Connects a container, and disconnects it again when that fails. @throws CniError
   */
  add(attachment: Attachment, signal?: AbortSignal): Promise<CniResult>;
  /** Verifies that a connected container still is. Does nothing for versions without CHECK, and for networks that disable it. @throws CniError */
  check(attachment: Attachment, signal?: AbortSignal): Promise<void>;
  /**
   * Disconnects a container with the configuration by which it was connected. Succeeds for a container that never was, and when its namespace is gone.
   * @throws CniError
   */
  remove(attachment: Attachment, signal?: AbortSignal): Promise<void>;
  /** Returns the result of a container's connection; `undefined` when it has none. */
  result(containerId: string): Promise<CniResult | undefined>;
  /** Returns the stored connections of all containers on this machine, of other programs as well. */
  attachments(): Promise<readonly CachedAttachment[]>;
}

const CLEAN_UP_FAILED = 'cannot disconnect a container after a failed connection';

/**
 * Creates a {@link Cni}. It keeps no process, timer or watch: each call reads the configuration folder.
 *
 * @example
 * ```ts
 * import { createCni, runProcess } from '@rxlet/cni';
 * import { systemClock } from '@rxlet/component-base';
 * import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
 *
 * const nodeFiles = createNodeFiles({ roots: ['/var/lib/cni'] });
 * const cni = createCni({ clock: systemClock, hostFiles: createHostFiles(), nodeFiles, runProcess });
 * export const addresses = await cni.add({ containerId: 'web', netnsPath: '/proc/42/ns/net' });
 * ```
 */
export function createCni(ports: CniPorts, options: CniOptions = {}): Cni {
  const { clock, hostFiles, nodeFiles, runProcess, logger = noopLogger } = ports;
  const { configFolder = '/etc/cni/net.d', pluginFolders = ['/opt/cni/bin'] } = options;
  const { cacheFolder = '/var/lib/cni', environment = {}, timeoutMs = 220_000 } = options;
  const runner = createPluginRunner({ clock, hostFiles, runProcess, pluginFolders, environment, timeoutMs });
  const loader = createNetworkLoader(hostFiles, runner, configFolder, logger);
  const cache = createResultCache(nodeFiles, cacheFolder, logger);

  const removeFrom = async (
    network: NetworkConfig,
    attachment: Attachment,
    prevResult: JsonObject | undefined,
    signal?: AbortSignal,
  ): Promise<void> => {
    const { capabilities = {} } = attachment;
    // Earlier versions take no previous result.
    const previous = isAtLeast(network.cniVersion, '0.4.0') ? prevResult : undefined;
    for (const plugin of network.plugins.toReversed()) {
      const input = pluginInput(network, plugin, { capabilities, prevResult: previous });
      await runner.run({ type: plugin.type, command: 'DEL', input, attachment }, signal);
    }
    await cache.remove(entryKey(network.name, attachment));
  };

  return {
    async status(signal) {
      try {
        const network = await loader.load(signal);
        if (isAtLeast(network.cniVersion, '1.1.0')) {
          for (const plugin of network.plugins) {
            const input = pluginInput(network, plugin, {});
            await runner.run({ type: plugin.type, command: 'STATUS', input }, signal);
          }
        }
        return { isReady: true, network: network.name };
      } catch (error) {
        signal?.throwIfAborted();
        return { isReady: false, message: errorMessage(error) };
      }
    },
    async add(attachment, signal) {
      checkAttachment(attachment);
      const network = await loader.load(signal);
      const { capabilities = {}, args = [] } = attachment;
      const entry = { ...entryKey(network.name, attachment), config: network.text, args, capabilities };
      let prevResult: JsonObject | undefined;
      try {
        // Stored first, so that a killed process leaves a trace of the connection.
        await cache.write({ ...entry, result: undefined });
        for (const plugin of network.plugins) {
          const input = pluginInput(network, plugin, { capabilities, prevResult });
          const answer = await runner.run({ type: plugin.type, command: 'ADD', input, attachment }, signal);
          prevResult = answer ?? prevResult;
        }
        const result = parseResult(prevResult ?? {});
        await cache.write({ ...entry, result: result.raw });
        return result;
      } catch (error) {
        await removeFrom(network, attachment, undefined).catch((failure: unknown) =>
          logger.warn(CLEAN_UP_FAILED, { containerId: attachment.containerId, error: errorMessage(failure) }),
        );
        throw error;
      }
    },
    async check(attachment, signal) {
      checkAttachment(attachment);
      const network = await loader.load(signal);
      if (network.disableCheck || !isAtLeast(network.cniVersion, '0.4.0')) return;
      const stored = await cache.read(network.name, attachment);
      if (stored?.result === undefined) {
        throw new CniError('InvalidRequest', `container "${attachment.containerId}" is not connected`);
      }
      const { capabilities = stored.capabilities } = attachment;
      for (const plugin of network.plugins) {
        const input = pluginInput(network, plugin, { capabilities, prevResult: stored.result });
        await runner.run({ type: plugin.type, command: 'CHECK', input, attachment }, signal);
      }
    },
    async remove(attachment, signal) {
      checkAttachment(attachment);
      const stored = await cache.ofContainer(attachment.containerId);
      for (const { networkName, interfaceName, config, args, capabilities, result } of stored) {
        const network = parseNetworkConfig({ name: `${networkName}.conflist`, text: config });
        await removeFrom(network, { ...attachment, interfaceName, args, capabilities }, result, signal);
      }
      if (stored.length > 0) return;
      let network: NetworkConfig;
      try {
        network = await loader.load(signal);
      } catch (error) {
        // Without a network the container cannot be connected to one.
        if (error instanceof CniError && error.reason === 'NotConfigured') return;
        throw error;
      }
      await removeFrom(network, attachment, undefined, signal);
    },
    async result(containerId) {
      const [stored] = await cache.ofContainer(containerId);
      return stored?.result && parseResult(stored.result);
    },
    attachments: () => cache.all(),
  };
}

function entryKey(
  networkName: string,
  { containerId, interfaceName = DEFAULT_INTERFACE }: Attachment,
): Pick<CachedAttachment, 'networkName' | 'containerId' | 'interfaceName'> {
  return { networkName, containerId, interfaceName };
}

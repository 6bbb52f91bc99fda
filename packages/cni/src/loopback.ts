import type { Clock } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import type { Attachment } from './attachment.ts';
import { parseNetworkConfig } from './network-config.ts';
import { pluginInput } from './plugin-request.ts';
import { createPluginRunner } from './plugin-runner.ts';
import type { RunProcess } from './run-process.ts';

const LOOPBACK = { cniVersion: '0.4.0', name: 'cni-loopback', plugins: [{ type: 'loopback' }] };
const TIMEOUT_MS = 30_000;

/** Ports and settings of {@link setUpLoopback}. */
export interface LoopbackOptions {
  readonly clock: Clock;
  readonly hostFiles: HostFiles;
  readonly runProcess: RunProcess;
  readonly pluginFolders: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Brings the interface `lo` of a namespace up by the plugin `loopback`; for runtimes that leave it down. @throws CniError */
export async function setUpLoopback(
  options: LoopbackOptions,
  { containerId, netnsPath }: Pick<Attachment, 'containerId' | 'netnsPath'>,
  signal?: AbortSignal,
): Promise<void> {
  const network = parseNetworkConfig({ name: 'loopback.conflist', text: JSON.stringify(LOOPBACK) });
  const runner = createPluginRunner({ environment: {}, timeoutMs: TIMEOUT_MS, ...options });
  const attachment = { containerId, netnsPath, interfaceName: 'lo' };
  for (const plugin of network.plugins) {
    const input = pluginInput(network, plugin, {});
    await runner.run({ type: plugin.type, command: 'ADD', input, attachment }, signal);
  }
}

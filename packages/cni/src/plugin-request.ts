import { type Attachment, DEFAULT_INTERFACE } from './attachment.ts';
import type { JsonObject } from './json.ts';
import type { NetworkConfig, PluginConfig } from './network-config.ts';

/** Commands of the specification. */
export type CniCommand = 'ADD' | 'CHECK' | 'DEL' | 'VERSION' | 'STATUS' | 'GC';

/** Returns the configuration that a plugin reads: its own, with the network's name and version, its capabilities' arguments and the previous result. */
export function pluginInput(
  network: Pick<NetworkConfig, 'name' | 'cniVersion'>,
  plugin: PluginConfig,
  extras: {
    readonly capabilities?: JsonObject;
    readonly prevResult?: JsonObject | undefined;
    readonly more?: JsonObject;
  },
): string {
  const { capabilities = {}, prevResult, more } = extras;
  const runtimeConfig = Object.fromEntries(
    Object.entries(capabilities).filter(
      ([name, value]) => plugin.capabilities.includes(name) && value !== undefined && !isEmpty(value),
    ),
  );
  return JSON.stringify({
    ...plugin.raw,
    name: network.name,
    cniVersion: network.cniVersion,
    ...(!isEmpty(runtimeConfig) && { runtimeConfig }),
    ...(prevResult !== undefined && { prevResult }),
    ...more,
  });
}

/** Returns the variables by which a command reaches a plugin. */
export function pluginEnvironment(
  command: CniCommand,
  pluginFolders: readonly string[],
  attachment?: Attachment,
): Readonly<Record<string, string>> {
  return {
    CNI_COMMAND: command,
    CNI_PATH: pluginFolders.join(':'),
    CNI_CONTAINERID: attachment?.containerId ?? '',
    CNI_NETNS: attachment?.netnsPath ?? '',
    CNI_IFNAME: attachment === undefined ? '' : (attachment.interfaceName ?? DEFAULT_INTERFACE),
    CNI_ARGS: (attachment?.args ?? []).map(([key, value]) => `${key}=${value}`).join(';'),
  };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

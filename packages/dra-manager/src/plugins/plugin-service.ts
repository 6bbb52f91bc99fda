import { goQuote } from '@rxlet/component-base/go';

/** Versions of the service of DRA drivers. */
export type PluginService = 'v1.DRAPlugin' | 'v1beta1.DRAPlugin';

const SUPPORTED: readonly PluginService[] = ['v1.DRAPlugin', 'v1beta1.DRAPlugin'];

/**
 * Returns the first service of the plugin's list that is supported: the plugin decides by its order.
 *
 * @throws Error with the kubelet's message
 */
export function chooseService(driver: string, endpoint: string, offered: readonly string[]): PluginService {
  const chosen = offered.find((one): one is PluginService => (SUPPORTED as readonly string[]).includes(one));
  if (chosen !== undefined) return chosen;
  const problem =
    offered.length === 0
      ? 'empty list of supported gRPC services (aka supported versions)'
      : `none of services supported by the plugin (${quoted(offered)}) are supported by the kubelet (${quoted(SUPPORTED)})`;
  throw new Error(`invalid supported gRPC versions of DRA driver plugin ${driver} at endpoint ${endpoint}: ${problem}`);
}

function quoted(services: readonly string[]): string {
  return `[${services.map(goQuote).join(' ')}]`;
}

import { encodeConfiguration, type LoadedConfiguration } from '@rxlet/kubelet-config';
import type { ServerContent } from '@rxlet/kubelet-server';

/** Version of Kubernetes whose kubelet the agent is like. */
const KUBERNETES_VERSION = '1.36';

/** Returns the configuration and the flags for the endpoints that show them. */
export function toServerContent({
  configuration,
  flags,
}: Pick<LoadedConfiguration, 'configuration' | 'flags'>): Required<
  Pick<ServerContent, 'configuration' | 'flags' | 'version'>
> {
  const encoded = encodeConfiguration(configuration);
  const given = Object.fromEntries([...flags].map(([name, value]) => [name, flagText(value)]));
  return { configuration: () => encoded, flags: () => given, version: KUBERNETES_VERSION };
}

function flagText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

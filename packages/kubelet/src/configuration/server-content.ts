import { encodeConfiguration, type LoadedConfiguration } from '@rxlet/kubelet-config';
import type { ServerContent } from '@rxlet/kubelet-server';

/** Version of Kubernetes whose kubelet the agent is like. */
const KUBERNETES_VERSION = '1.36';

/** Flag of `staticPodURLHeader`. */
const HEADER_FLAG = 'manifest-url-header';
/** Text in the place of a secret, as in a kubelet's log. */
const MASKED = '<masked>';

/** Returns the configuration and the flags for the endpoints that show them, without the values of the headers of the manifest URL: they may be credentials. */
export function toServerContent({
  configuration,
  flags,
}: Pick<LoadedConfiguration, 'configuration' | 'flags'>): Required<
  Pick<ServerContent, 'configuration' | 'flags' | 'version'>
> {
  const { staticPodURLHeader } = configuration;
  const headers = Object.fromEntries(Object.keys(staticPodURLHeader ?? {}).map((name) => [name, [MASKED]]));
  const encoded = encodeConfiguration({ ...configuration, ...(staticPodURLHeader && { staticPodURLHeader: headers }) });
  const given = Object.fromEntries(
    [...flags].map(([name, value]) => [name, name === HEADER_FLAG ? MASKED : flagText(value)]),
  );
  return { configuration: () => encoded, flags: () => given, version: KUBERNETES_VERSION };
}

function flagText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

import { encodeConfiguration, FLAGS, type LoadedConfiguration } from '@rxlet/kubelet-config';
import type { ServerContent } from '@rxlet/kubelet-server';

/** Version of Kubernetes whose kubelet the agent is like. */
const KUBERNETES_VERSION = '1.36';

/** Text in the place of a secret, as in a kubelet's log. */
const MASKED = '<masked>';
/** Names of headers that carry credentials: those of HTTP, and custom ones by their words. */
const CREDENTIAL_HEADER = /auth|cookie|credential|key|password|secret|token/i;

/**
 * Returns the configuration and the flags for the endpoints that show them. Clients that may look at the node must not get the credentials for the manifest URL: values of
 * headers that carry some are masked in the configuration, and flags with secrets whole.
 */
export function toServerContent({
  configuration,
  flags,
}: Pick<LoadedConfiguration, 'configuration' | 'flags'>): Required<
  Pick<ServerContent, 'configuration' | 'flags' | 'version'>
> {
  const { staticPodURLHeader } = configuration;
  const encoded = encodeConfiguration({
    ...configuration,
    ...(staticPodURLHeader && { staticPodURLHeader: maskedHeaders(staticPodURLHeader) }),
  });
  const given = Object.fromEntries(
    [...flags].map(([name, value]) => [name, FLAGS.get(name)?.isSecret === true ? MASKED : flagText(value)]),
  );
  return { configuration: () => encoded, flags: () => given, version: KUBERNETES_VERSION };
}

function maskedHeaders(headers: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name,
      CREDENTIAL_HEADER.test(name) ? values.map(() => MASKED) : values,
    ]),
  );
}

function flagText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

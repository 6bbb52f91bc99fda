import type { KubeletApiChoices } from '@rxlet/agent/presets';
import type { KubeletApiOptions, ServerContent } from '@rxlet/kubelet-server';
import type { AgentSettings } from '../config/load-settings.ts';

/**
 * Returns the options of the kubelet's API; `undefined` where there is none. A standalone agent serves HTTPS only when its configuration needs no API server to decide
 * who may use it: with a file of client authorities, without the review of tokens, and with permission for everybody who is authenticated. Otherwise it has only the
 * plain ports.
 */
export function kubeletApiOptions(
  { kubeletApi, cluster }: Pick<AgentSettings, 'kubeletApi' | 'cluster'>,
  content: ServerContent,
): KubeletApiOptions | undefined {
  if (kubeletApi === undefined) return undefined;
  const hasHttps = cluster !== undefined || canDecideAlone(kubeletApi);
  return { ...kubeletApi, ...(!hasHttps && { port: undefined }), content };
}

function canDecideAlone({ authentication, authorization }: KubeletApiChoices): boolean {
  const { x509, webhook, anonymous } = authentication;
  return (
    x509.clientCaFile !== undefined && !webhook.enabled && !anonymous.enabled && authorization.mode === 'AlwaysAllow'
  );
}

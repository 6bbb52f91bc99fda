import type { HostAlias, Pod } from '@rxlet/kube-api';
import { ConfigError, podHostname } from '@rxlet/runtime-manager/config';
import { etcHostsContent } from '@rxlet/runtime-manager/container-options';
import type { Answer } from '../vector-kind.ts';

interface HostsFileVector {
  readonly input:
    | { readonly fn: 'nodeHostsFile'; readonly file: string | null; readonly hostAliases?: readonly HostAlias[] }
    | {
        readonly fn: 'managedHostsFile';
        readonly hostIPs: readonly string[];
        readonly hostName: string;
        readonly hostDomain: string;
        readonly hostAliases?: readonly HostAlias[];
      }
    | { readonly fn: 'hostNameAndDomain'; readonly pod: Pod; readonly clusterDomain: string };
  readonly want: { readonly error?: string };
}

/** Returns the content of a pod's /etc/hosts, or its host name. */
export function run({ input, want }: HostsFileVector): Answer {
  switch (input.fn) {
    case 'hostNameAndDomain':
      return { got: nameOf(input.pod, input.clusterDomain), want };
    case 'nodeHostsFile': {
      // A missing file is an error of the read, which comes before.
      if (input.file === null) return { got: { error: true }, want: { error: want.error !== undefined } };
      const pod = podWith(input.hostAliases, { hostNetwork: true });
      return { got: { content: etcHostsContent(pod, [], { hostname: '', domain: '' }, input.file) }, want };
    }
    case 'managedHostsFile': {
      const { hostName: hostname, hostDomain: domain } = input;
      return {
        got: { content: etcHostsContent(podWith(input.hostAliases), input.hostIPs, { hostname, domain }, '') },
        want,
      };
    }
  }
}

function nameOf(pod: Pod, clusterDomain: string): unknown {
  try {
    return podHostname(pod, clusterDomain);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { error: error.message };
  }
}

function podWith(hostAliases: readonly HostAlias[] = [], spec: { readonly hostNetwork?: boolean } = {}): Pod {
  return { spec: { containers: [], hostAliases, ...spec } };
}

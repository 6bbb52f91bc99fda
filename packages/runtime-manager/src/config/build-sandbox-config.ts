import { create } from '@bufbuild/protobuf';
import { type PodSandboxConfig, PodSandboxConfigSchema, type UserNamespace } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import { podLogDirectory } from '../files/pod-paths.ts';
import { sandboxLabels } from './container-metadata.ts';
import type { PodDns } from './dns-config.ts';
import { kernelHostname, podHostname } from './hostname.ts';
import { sandboxOverhead, sandboxResources } from './linux-resources.ts';
import type { NodeSettings } from './node-settings.ts';
import { podPortMappings } from './port-mappings.ts';
import { nodeUsers } from '../userns/user-namespaces.ts';
import { sandboxSecurityContext } from './security-context.ts';

/** Input of {@link buildSandboxConfig}. */
export interface SandboxConfigInput {
  readonly pod: Pod;
  /** Number of earlier sandboxes of the pod. */
  readonly attempt: number;
  /** See `podDns`. */
  readonly dns: PodDns;
  /** Parent cgroup of the pod in the notation of the runtime's cgroup driver; empty: the runtime chooses. */
  readonly cgroupParent: string;
  /** User namespace of the pod. Default: the users of the node. */
  readonly users?: UserNamespace | undefined;
  /** Groups of the pod's volumes, beside those of the pod. Default: none. */
  readonly volumeGroups?: readonly bigint[] | undefined;
  readonly settings: NodeSettings;
}

/**
 * Builds the configuration of a pod's sandbox for RunPodSandbox. Later calls for the pod's containers and images carry it too.
 * @throws ConfigError when the pod's definition is invalid
 */
export function buildSandboxConfig({
  pod,
  attempt,
  dns,
  cgroupParent,
  users = nodeUsers,
  volumeGroups,
  settings,
}: SandboxConfigInput): PodSandboxConfig {
  const { name = '', namespace = '', uid = '', annotations = {} } = pod.metadata ?? {};
  return create(PodSandboxConfigSchema, {
    metadata: { name, namespace, uid, attempt },
    labels: sandboxLabels(pod),
    annotations: { ...annotations },
    // A pod on the node's network has the node's host name.
    hostname: isHostNetworkPod(pod) ? '' : kernelHostname(pod, podHostname(pod, settings.clusterDomain)),
    dnsConfig: dns.config,
    logDirectory: podLogDirectory(settings, { name, namespace, uid }),
    portMappings: podPortMappings(pod),
    linux: {
      cgroupParent,
      securityContext: sandboxSecurityContext(pod, users, volumeGroups),
      sysctls: sysctls(pod),
      overhead: sandboxOverhead(pod, settings),
      resources: sandboxResources(pod, settings),
    },
  });
}

/** Returns the sysctls of a pod with dotted names, which runtimes expect; pods may write them with slashes. */
function sysctls(pod: Pod): Record<string, string> {
  return Object.fromEntries((pod.spec!.securityContext?.sysctls ?? []).map(({ name, value }) => [dotted(name), value]));
}

/** Converts `net/ipv4/conf/eth0.1/forwarding` to `net.ipv4.conf.eth0/1.forwarding`. A name whose first separator is a dot is already dotted. */
function dotted(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== '/') return name;
  return name.replace(/[./]/g, (mark) => (mark === '/' ? '.' : '/'));
}

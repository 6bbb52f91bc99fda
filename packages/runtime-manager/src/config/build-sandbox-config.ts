import { create } from '@bufbuild/protobuf';
import { type PodSandboxConfig, PodSandboxConfigSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import { podLogDirectory } from '../files/pod-paths.ts';
import { sandboxLabels } from './container-metadata.ts';
import type { PodDns } from './dns-config.ts';
import { kernelHostname, podHostname } from './hostname.ts';
import { sandboxOverhead, sandboxResources } from './linux-resources.ts';
import type { NodeSettings } from './node-settings.ts';
import { podPortMappings } from './port-mappings.ts';
import { sandboxSecurityContext } from './security-context.ts';

/** What a sandbox is made from. */
export interface SandboxConfigInput {
  readonly pod: Pod;
  /** How many sandboxes the pod has had before. */
  readonly attempt: number;
  /** See `podDns`. */
  readonly dns: PodDns;
  /** Cgroup to put the pod under, in the notation of the runtime's cgroup driver; empty: the runtime's own choice. */
  readonly cgroupParent: string;
  readonly settings: NodeSettings;
}

/**
 * Builds the configuration of a pod's sandbox: the request of RunPodSandbox, which later calls for the pod's containers and images carry too.
 * @throws ConfigError when the pod asks for something that cannot be.
 */
export function buildSandboxConfig({
  pod,
  attempt,
  dns,
  cgroupParent,
  settings,
}: SandboxConfigInput): PodSandboxConfig {
  const { name = '', namespace = '', uid = '', annotations = {} } = pod.metadata ?? {};
  return create(PodSandboxConfigSchema, {
    metadata: { name, namespace, uid, attempt },
    labels: sandboxLabels(pod),
    annotations: { ...annotations },
    // On the node's network the pod has the node's name.
    hostname: isHostNetworkPod(pod) ? '' : kernelHostname(pod, podHostname(pod, settings.clusterDomain)),
    dnsConfig: dns.config,
    logDirectory: podLogDirectory(settings, { name, namespace, uid }),
    portMappings: podPortMappings(pod),
    linux: {
      cgroupParent,
      securityContext: sandboxSecurityContext(pod),
      sysctls: sysctls(pod),
      overhead: sandboxOverhead(pod, settings),
      resources: sandboxResources(pod, settings),
    },
  });
}

/** Sysctl names may be written with slashes; runtimes know them with dots. */
function sysctls(pod: Pod): Record<string, string> {
  return Object.fromEntries((pod.spec!.securityContext?.sysctls ?? []).map(({ name, value }) => [dotted(name), value]));
}

/** Turns `net/ipv4/conf/eth0.1/forwarding` into `net.ipv4.conf.eth0/1.forwarding`; a name whose first separator is a dot is in that form already. */
function dotted(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== '/') return name;
  return name.replace(/[./]/g, (mark) => (mark === '/' ? '.' : '/'));
}

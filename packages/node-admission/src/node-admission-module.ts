import { admissionHandlers, type AgentModule, contribute } from '@rxlet/agent-api';
import { nodeDevices, nodeObject, nodeResources } from '@rxlet/agent-api/node';
import { reconfiguration, reconfigurations } from '@rxlet/agent-api/configuration';
import { createHostMachine, hostPlatform, type Machine } from '@rxlet/machine';
import { createAppArmorAdmission } from './app-armor.ts';
import { createNodeAdmission } from './create-node-admission.ts';
import { createLocalNode, type LocalNodeOptions } from './local-node/local-node.ts';
import { withDevicesOf } from './plugin-resources.ts';
import { createSysctlAllowlist } from './sysctls.ts';

/** Options of {@link nodeAdmission}. Those of the node apply to an agent without a module that manages its Node object. */
export interface NodeAdmissionOptions extends LocalNodeOptions {
  /** Names, and prefixes with a final `*`, of kernel parameters that pods may set beside the safe ones. */
  readonly allowedUnsafeSysctls?: readonly string[] | undefined;
  /** Version of the kernel. Default: that of this machine. */
  readonly kernelVersion?: string | undefined;
  /** Default: this machine. */
  readonly machine?: Machine | undefined;
}

/**
 * Creates the agent module that rejects pods which the node cannot run, with the kubelet's checks, reasons and messages, and that preempts pods for critical
 * ones. Its set-up throws a TypeError for a malformed list of kernel parameters.
 */
export function nodeAdmission(options: NodeAdmissionOptions = {}): AgentModule {
  return {
    name: 'node-admission',
    uses: [nodeDevices, nodeObject, nodeResources],
    setup({ services, core, node: { name, rootDirectory }, runtime, hostFiles, ...ports }) {
      const sysctls = createSysctlAllowlist({ kernelVersion: hostPlatform().kernelVersion, ...options });
      const managed = services.find(nodeObject);
      const resources = services.find(nodeResources);
      const devices = services.find(nodeDevices);
      const { machine = createHostMachine(hostFiles) } = options;
      let limits: Pick<NodeAdmissionOptions, 'maxPods' | 'podsPerCore'> = options;
      const localOptions: LocalNodeOptions = {
        ...options,
        get maxPods() {
          return limits.maxPods;
        },
        get podsPerCore() {
          return limits.podsPerCore;
        },
      };
      const local = createLocalNode({ name, rootDirectory, runtime, machine, resources, devices }, localOptions);
      return {
        contributions: [
          contribute(
            admissionHandlers,
            { name: 'sysctls', admit: sysctls.reject },
            createNodeAdmission({
              ...ports,
              node: managed ?? local,
              killPod: core.killPod,
              ...(devices && { updatePluginResources: withDevicesOf(devices) }),
            }),
            createAppArmorAdmission(hostFiles),
          ),
          contribute(
            reconfigurations,
            reconfiguration('node-admission', (next: NodeAdmissionOptions) => void (limits = next)),
          ),
        ],
        ...(managed === undefined && { start: local.load }),
      };
    },
  };
}

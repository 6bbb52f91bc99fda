import { create } from '@bufbuild/protobuf';
import {
  CgroupDriver,
  RuntimeConfigResponseSchema,
  StatusResponseSchema,
  UpdateRuntimeConfigResponseSchema,
  VersionResponseSchema,
} from '@rxlet/cri-api';
import type { RuntimeState } from '../runtime-state.ts';
import type { RuntimeHandlers } from './port.ts';

/** Features of every handler: mounts and user namespaces are reported as they were requested. */
const HANDLER_FEATURES = { recursiveReadOnlyMounts: true, userNamespaces: true } as const;

/** Reported by a runtime without a configuration of its network. */
const NETWORK_NOT_READY = {
  type: 'NetworkReady',
  status: false,
  reason: 'NetworkPluginNotReady',
  message: 'Network plugin returns error: cni plugin not initialized',
} as const;

/** Version, Status, RuntimeConfig, UpdateRuntimeConfig, GetContainerEvents. */
export function runtimeRpcs(state: RuntimeState): RuntimeHandlers {
  const { cgroupDriver, runtimeHandlers, runtimeName, runtimeVersion } = state.options;
  return {
    version() {
      // `version` is that of the kubelet's API, which has been 0.1.0 ever since; `runtimeApiVersion` that of the CRI.
      return create(VersionResponseSchema, { version: '0.1.0', runtimeName, runtimeVersion, runtimeApiVersion: 'v1' });
    },
    status({ verbose }) {
      return create(StatusResponseSchema, {
        status: {
          conditions: [
            { type: 'RuntimeReady', status: true },
            state.isNetworkReady ? { type: 'NetworkReady', status: true } : NETWORK_NOT_READY,
          ],
        },
        runtimeHandlers: ['', ...runtimeHandlers].map((name) => ({ name, features: HANDLER_FEATURES })),
        features: { supplementalGroupsPolicy: true },
        info: verbose ? { config: JSON.stringify(state.options) } : {},
      });
    },
    runtimeConfig() {
      const driver = cgroupDriver === 'systemd' ? CgroupDriver.SYSTEMD : CgroupDriver.CGROUPFS;
      return create(RuntimeConfigResponseSchema, { linux: { cgroupDriver: driver } });
    },
    updateRuntimeConfig({ runtimeConfig }) {
      const podCidr = runtimeConfig?.networkConfig?.podCidr ?? '';
      if (podCidr !== '') state.ips.setCidr(podCidr);
      return create(UpdateRuntimeConfigResponseSchema);
    },
    getContainerEvents(_request, call) {
      return state.events.subscribe(call.signal);
    },
  };
}

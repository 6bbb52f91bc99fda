import { errorMessage } from '@rxlet/component-base';
import { CgroupDriver, type RuntimeServiceDescriptor } from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import { execSync } from '../exec/exec-sync.ts';
import type { Handlers } from '../rpc/port.ts';
import { containerEvents } from './container-events.ts';

/** Version of the kubelet's runtime API, the only one there is. */
const KUBE_API_VERSION = '0.1.0';

/** Handlers of the RPCs of the runtime itself, and ExecSync. */
export function runtimeHandlers(backend: Backend): Handlers<typeof RuntimeServiceDescriptor> {
  const { engine, facts, network, containers } = backend;
  const dockerProblem = async (signal: AbortSignal): Promise<string | undefined> => {
    try {
      await facts.refresh(signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(error);
    }
  };
  const networkProblem = async (signal: AbortSignal): Promise<string | undefined> => {
    try {
      return await network.notReadyReason(signal);
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(error);
    }
  };
  return {
    async version(_request, signal) {
      const { Version } = await engine.version(signal);
      return {
        version: KUBE_API_VERSION,
        runtimeName: 'docker',
        runtimeVersion: Version,
        runtimeApiVersion: 'v1',
      };
    },
    async status({ verbose }, signal) {
      const [docker, plugins] = await Promise.all([dockerProblem(signal), networkProblem(signal)]);
      const info: Record<string, string> =
        verbose && docker === undefined ? { config: JSON.stringify(await facts.get(signal)) } : {};
      return {
        status: {
          conditions: [
            condition('RuntimeReady', 'DockerDaemonNotReady', docker && `docker: ${docker}`),
            condition(
              'NetworkReady',
              'NetworkPluginNotReady',
              plugins && `docker: network plugin is not ready: ${plugins}`,
            ),
          ],
        },
        info,
        runtimeHandlers: [],
      };
    },
    // The pod network is configured by its own files.
    updateRuntimeConfig: async () => ({}),
    async runtimeConfig(_request, signal) {
      const { CgroupDriver: driver } = await facts.get(signal);
      return { linux: { cgroupDriver: driver === 'systemd' ? CgroupDriver.SYSTEMD : CgroupDriver.CGROUPFS } };
    },
    async execSync({ containerId, cmd, timeout }, signal) {
      const { Id } = await containers.inspect('container', containerId, signal);
      return execSync(backend, Id, cmd, Number(timeout), signal);
    },
    getContainerEvents: (_request, signal) => containerEvents(backend, signal),
  };
}

function condition(type: string, reason: string, message: string | undefined) {
  return { type, status: message === undefined, reason: message && reason ? reason : '', message: message ?? '' };
}

import type { PluginHandler } from '@rxlet/agent-api/plugins';
import { goQuote, type Logger } from '@rxlet/component-base';
import type { NodeFiles } from '@rxlet/node-files';
import type { PluginConnections } from '../plugins/plugin-connections.ts';
import { isSocketName, registrationProblem, watchedPluginProblem } from './check-registration.ts';
import type { RegistrationRequest } from './registration-handler.ts';

/** Ports of {@link createPluginRegistration}. */
export interface PluginRegistrationPorts {
  readonly files: Pick<NodeFiles, 'stat'>;
  readonly connections: Pick<PluginConnections, 'open' | 'close'>;
  readonly logger: Logger;
  /** Called for each plugin that wants to register. */
  requested(resource: string): void;
}

/** Registers device plugins that call the agent, and those that the plugin watcher finds. */
export interface PluginRegistration {
  /** Registers a plugin. A rejection is its answer. */
  register(request: RegistrationRequest, signal?: AbortSignal): Promise<void>;
  readonly handler: PluginHandler;
}

/** Creates a {@link PluginRegistration} of plugins whose sockets are in a directory. */
export function createPluginRegistration(
  { files, connections, logger, requested }: PluginRegistrationPorts,
  directory: string,
): PluginRegistration {
  const reject = (resource: string, message: string): never => {
    logger.warn('rejected a device plugin', { resource, error: message });
    throw new Error(message);
  };
  return {
    async register({ version, endpoint, resourceName }, signal) {
      requested(resourceName);
      const problem = registrationProblem(version, resourceName);
      if (problem !== undefined) reject(resourceName, problem);
      const path = `${directory}/${endpoint}`;
      if (!isSocketName(endpoint) || (await files.stat(path))?.kind === 'symlink')
        reject(resourceName, `the endpoint ${goQuote(endpoint)} is no socket in ${directory}`);
      await connections.open(resourceName, path, signal);
    },
    handler: {
      type: 'DevicePlugin',
      async register({ name, endpoint, versions }, signal) {
        const problem = watchedPluginProblem(versions, name);
        if (problem !== undefined) reject(name, problem);
        await connections.open(name, endpoint, signal);
      },
      deregister: ({ name, endpoint }) => connections.close(name, endpoint),
    },
  };
}

import type { PluginHandler } from '@rxlet/agent-api/plugins';
import { type Clock, createRateLimiter, type Logger } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import type { NodeFiles } from '@rxlet/node-files';
import type { PluginConnections } from '../plugins/plugin-connections.ts';
import { isSocketName, registrationProblem, watchedPluginProblem } from './check-registration.ts';
import type { RegistrationRequest } from './registration-handler.ts';

/** Bounds for registrations of all plugins: a node has a few, and all of them register after a restart of the agent. */
const REQUESTS_PER_SECOND = 20;
const REQUESTS_BURST = 200;
/** Bounds for log lines; others are logged at `debug`. */
const WARNINGS_PER_SECOND = 1;
const WARNINGS_BURST = 50;

/** Ports of {@link createPluginRegistration}. */
export interface PluginRegistrationPorts {
  readonly clock: Clock;
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
  { clock, files, connections, logger, requested }: PluginRegistrationPorts,
  directory: string,
): PluginRegistration {
  const requests = createRateLimiter(clock, REQUESTS_PER_SECOND, REQUESTS_BURST);
  const warnings = createRateLimiter(clock, WARNINGS_PER_SECOND, WARNINGS_BURST);
  const reject = (resource: string, message: string): never => {
    (warnings.tryAcquire() ? logger.warn : logger.debug)('rejected a device plugin', { resource, error: message });
    throw new Error(message);
  };
  return {
    async register({ version, endpoint, resourceName }, signal) {
      if (!requests.tryAcquire()) reject(resourceName, 'rejected by rate limit');
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

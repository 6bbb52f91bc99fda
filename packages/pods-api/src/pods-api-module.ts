import type { AgentModule } from '@rxlet/agent-api';
import { createLifetime, errorMessage } from '@rxlet/component-base';
import { createPodsApi } from './create-pods-api.ts';
import { servePodsApi } from './serve-pods-api.ts';

const DIRECTORY_MODE = 0o750;

/** Creates the agent module that serves the pods API on `<root>/pods-api/pods-api.sock` (KEP-4188). */
export function podsApi(): AgentModule {
  return {
    name: 'pods-api',
    setup({ clock, core, files, logger, metrics, node }) {
      const lifetime = createLifetime();
      return {
        async start() {
          const directory = `${node.rootDirectory}/pods-api`;
          const api = createPodsApi({ pods: core.pods, logger, metrics });
          try {
            await files.makeDirectory(directory, DIRECTORY_MODE);
            const server = await servePodsApi(api, { socketPath: `${directory}/pods-api.sock`, clock, logger });
            lifetime.defer(async () => server[Symbol.asyncDispose]());
          } catch (error) {
            // The pods do not depend on those who watch them.
            logger.error('cannot serve the pods API', { error: errorMessage(error) });
          }
        },
        [Symbol.asyncDispose]: async () => lifetime[Symbol.asyncDispose](),
      };
    },
  };
}

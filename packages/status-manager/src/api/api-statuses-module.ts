import { type AgentModule, kubeClients } from '@rxlet/agent-api';
import { createApiStatusSink } from './api-status-sink.ts';

/** Creates the agent module that reports pod statuses to the API server, and deletes the pods there that have ended on request. */
export function apiStatuses(): AgentModule {
  return {
    name: 'api-statuses',
    needs: [kubeClients],
    setup({ services, core, logger }) {
      const contributedConditionTypes = (): readonly string[] =>
        core.contributions.podStatus.flatMap(({ conditionTypes }) => conditionTypes);
      return {
        statusSinks: [
          createApiStatusSink({ client: services.get(kubeClients).main, contributedConditionTypes, logger }),
        ],
      };
    },
  };
}

import { type AgentModule, contribute } from '@rxlet/agent-api';
import { podStatusContributors, statusSinks } from '@rxlet/agent-api/statuses';
import { kubeClients } from '@rxlet/agent-api/kube';
import { createApiStatusSink } from './api-status-sink.ts';

/** Creates the agent module that reports pod statuses to the API server, and deletes the pods there that have ended on request. */
export function apiStatuses(): AgentModule {
  return {
    name: 'api-statuses',
    needs: [kubeClients],
    collects: [podStatusContributors],
    setup({ services, collections, logger }) {
      const contributedConditionTypes = (): readonly string[] =>
        collections.of(podStatusContributors).flatMap(({ conditionTypes }) => conditionTypes);
      return {
        contributions: [
          contribute(
            statusSinks,
            createApiStatusSink({ client: services.get(kubeClients).main, contributedConditionTypes, logger }),
          ),
        ],
      };
    },
  };
}

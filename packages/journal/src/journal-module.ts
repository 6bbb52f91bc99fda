import { type AgentModule, contribute, debugSections, healthChecks } from '@rxlet/agent-api';
import { httpEndpoints } from '@rxlet/agent-api/http';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { imagePulls } from '@rxlet/agent-api/images';
import { type JournalSink, journalSinks, nodeProblems } from '@rxlet/agent-api/journal';
import { servingCertificate } from '@rxlet/agent-api/kube';
import { nodeObject, nodeStatusSetters, runtimeHealth } from '@rxlet/agent-api/node';
import { podStatusContributors } from '@rxlet/agent-api/statuses';
import { explainEndpoint } from './endpoints/explain-endpoint.ts';
import { journalEndpoint } from './endpoints/journal-endpoint.ts';
import { countWaits } from './explain/count-waits.ts';
import { createConditionMessages } from './explain/condition-messages.ts';
import { explainNode } from './explain/explain-node.ts';
import { createExplainer } from './explain/explain-pods.ts';
import { readNodeProblems } from './explain/node-problems.ts';
import { createJournalFile } from './store/journal-file.ts';
import { createJournalStore, type JournalStoreLimits } from './store/journal-store.ts';

/** Options of {@link journal}. */
export interface JournalOptions extends JournalStoreLimits {
  /** Bound of the journal's file, `journal/journal` below the root directory. Default: 16 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Whether the condition `PodReadyToStartContainers` of a pod that waits for its sandbox says what it waits for. Default: yes. */
  readonly conditionMessages?: boolean | undefined;
}

/** Creates the agent module that keeps the journal of each pod, and shows it at the endpoints `/journal` and `/explain`. */
export function journal(options: JournalOptions = {}): AgentModule {
  return {
    name: 'journal',
    uses: [imagePulls, runtimeHealth, nodeObject, servingCertificate],
    collects: [nodeProblems, healthChecks, nodeStatusSetters],
    setup({ clock, files, logger, node, core, services, collections }) {
      const store = createJournalStore({ clock }, options);
      const file = createJournalFile(
        { files, clock, logger, store },
        { directory: `${node.rootDirectory}/journal`, maxBytes: options.maxFileBytes },
      );
      const sink: JournalSink = (entry) => {
        store.apply(entry);
        file.append(entry);
        messages?.observe(entry);
      };
      const messages =
        options.conditionMessages === false ? undefined : createConditionMessages((uid) => store.life(uid));
      const { serializeImagePulls, maxParallelImagePulls } = services.find(imagePulls) ?? {};
      const explainer = createExplainer({
        clock,
        store,
        podStatus: (uid) => core.podStatus(uid),
        settings: { serializeImagePulls, maxParallelImagePulls },
      });
      const problems = {
        runtime: services.find(runtimeHealth),
        sourceProblems: core.sourceProblems,
        sources: collections.of(nodeProblems),
        healthChecks: collections.of(healthChecks),
        setters: collections.of(nodeStatusSetters),
        nodeObject: services.find(nodeObject),
        certificate: services.find(servingCertificate),
      };
      return {
        contributions: [
          contribute(journalSinks, sink),
          ...(messages === undefined ? [] : [contribute(podStatusContributors, messages.contributor)]),
          contribute(debugSections, { name: 'waits', inspect: () => countWaits(store.lives(), clock.now()) }),
          contribute(housekeepingSteps, {
            name: 'end the journals of pods that went while no agent ran',
            run({ knownPodUids }) {
              store.retain(knownPodUids);
              messages?.retain(knownPodUids);
            },
          }),
          contribute(
            httpEndpoints,
            journalEndpoint({ store, explainer, logger }),
            explainEndpoint({ explainer, explainNode: () => explainNode(node.name, readNodeProblems(problems)) }),
          ),
        ],
        start: () => file.start(),
        async [Symbol.asyncDispose]() {
          store.close();
          await file[Symbol.asyncDispose]();
        },
      };
    },
  };
}

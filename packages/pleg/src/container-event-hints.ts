import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, ContainerEventType, type RuntimeService, StatusCode } from '@rxlet/cri-api';
import { type ContainerHint, type HintSource, HintsUnsupported } from './container-hints.ts';

const KINDS: Readonly<Partial<Record<ContainerEventType, ContainerHint['kind']>>> = {
  [ContainerEventType.CONTAINER_STARTED_EVENT]: 'started',
  [ContainerEventType.CONTAINER_STOPPED_EVENT]: 'stopped',
  [ContainerEventType.CONTAINER_DELETED_EVENT]: 'stopped',
};

/**
 * Hints from the runtime's CRI event stream (KEP-3386, GetContainerEvents). Of each event only which container and pod it is about is taken: the status that
 * comes along is by the runtime's clock, and older than what a read would find.
 */
export function containerEventHints(runtime: Pick<RuntimeService, 'getContainerEvents'>): HintSource {
  return {
    name: 'CRI GetContainerEvents',
    async *open(signal) {
      try {
        for await (const { containerId, containerEventType, podSandboxStatus } of runtime.getContainerEvents(
          {},
          { signal },
        )) {
          const kind = KINDS[containerEventType];
          if (kind !== undefined) yield { containerId, kind, podUid: podSandboxStatus?.metadata?.uid };
        }
      } catch (error) {
        if (callErrorCode(error) !== StatusCode.Unimplemented) throw error;
        throw new HintsUnsupported(`the runtime has no GetContainerEvents: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}

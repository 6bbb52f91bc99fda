import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, ContainerEventType, type RuntimeService, StatusCode } from '@rxlet/cri-api';
import { type ContainerHint, type HintSource, HintsUnsupported } from './container-hints.ts';

const KINDS: Readonly<Partial<Record<ContainerEventType, ContainerHint['kind']>>> = {
  [ContainerEventType.CONTAINER_STARTED_EVENT]: 'started',
  [ContainerEventType.CONTAINER_STOPPED_EVENT]: 'stopped',
  [ContainerEventType.CONTAINER_DELETED_EVENT]: 'stopped',
};

/**
 * Creates a source of hints from the runtime's CRI events (KEP-3386, GetContainerEvents). It takes only the container and pod from each event: the status in it has the
 * runtime's clock and may be older than the next read.
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

import { create } from '@bufbuild/protobuf';
import { ContainerConfigSchema, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';

/** A log that cannot be opened, so that the fake runtime fails to start the container. */
const NO_LOG = '.';

/** Options of {@link asContainerd}. */
export interface ContainerdOptions {
  /** Error of the containers, none of which the runtime can start; `<container>` in it is the container's id. Default: it starts all. */
  readonly startError?: string | undefined;
  /** Returns what is wrong with the network of pods. */
  readonly networkProblem?: (() => string | undefined) | undefined;
}

/**
 * Returns a runtime that behaves like the recorded containerd: it reports no features, handlers and users, and a program without a handler for SIGTERM ignores it, as
 * the first process of a container does.
 */
export function asContainerd(
  runtime: RuntimeService,
  { startError, networkProblem }: ContainerdOptions,
): RuntimeService {
  const failed = new Set<string>();
  const messageOf = (id: string): string => startError!.replaceAll('<container>', id);
  return {
    ...runtime,
    async status(request, options) {
      const { features: _, ...answer } = await runtime.status(request, options);
      const problem = networkProblem?.();
      if (problem === undefined) return { ...answer, runtimeHandlers: [] };
      const conditions = (answer.status?.conditions ?? []).map((condition) =>
        condition.type === 'NetworkReady'
          ? { ...condition, status: false, reason: 'NetworkPluginNotReady', message: problem }
          : condition,
      );
      return { ...answer, status: { ...answer.status!, conditions }, runtimeHandlers: [] };
    },
    async createContainer(request, options) {
      const config = create(ContainerConfigSchema, request.config);
      config.command = ignoringTerm(config.command);
      if (startError !== undefined) config.logPath = NO_LOG;
      const answer = await runtime.createContainer({ ...request, config }, options);
      if (startError !== undefined) failed.add(answer.containerId);
      return answer;
    },
    async startContainer(request, options) {
      try {
        return await runtime.startContainer(request, options);
      } catch (error) {
        const id = request.containerId ?? '';
        if (!failed.has(id)) throw error;
        throw new ServiceError(StatusCode.Unknown, messageOf(id), { cause: error });
      }
    },
    async containerStatus(request, options) {
      const answer = await runtime.containerStatus(request, options);
      const { user: _, ...status } = answer.status!;
      return {
        ...answer,
        status: { ...status, ...(failed.has(status.id) && status.reason !== '' && { message: messageOf(status.id) }) },
      };
    },
  };
}

function ignoringTerm(command: readonly string[]): string[] {
  if (command[0] === 'sleep') return ['sh', '-c', `trap '' TERM; ${command.join(' ')}`];
  const [shell, option, script = ''] = command;
  if (shell !== 'sh' || option !== '-c' || script.includes('trap')) return [...command];
  return [shell, option, `trap '' TERM; ${script}`];
}

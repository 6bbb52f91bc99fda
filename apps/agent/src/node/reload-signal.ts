import type { Agent } from '@rxlet/agent';
import { reconfigurations } from '@rxlet/agent-api/configuration';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { type KubeletPreset, planReload } from '@rxlet/kubelet';
import type { LoadedConfiguration } from '@rxlet/kubelet-config';
import type { AgentLog } from '../agent-log.ts';
import { logSettingsOf } from '../config/log-settings.ts';

/** A configuration, with the options that it means. */
export interface ReloadedConfiguration {
  readonly loaded: Pick<LoadedConfiguration, 'configuration'>;
  readonly modules: Pick<KubeletPreset['modules'], 'optionsByName'>;
}

/** Ports of {@link createReload}. */
export interface ReloadPorts {
  readonly logger: Logger;
  readonly log: Pick<AgentLog, 'setVerbosity' | 'setVmodule'>;
  readonly agent: Pick<Agent, 'contributions'>;
  /** Reads and validates the configuration again. */
  readonly load: () => Promise<ReloadedConfiguration>;
}

/** Follows changes of the configuration. Methods never reject; calls that overlap are one after the other. */
export interface ConfigurationReload {
  /** Applies the fields that can change while the agent runs, and names those that need a restart. A configuration that cannot be used is logged, and changes nothing. */
  apply(): Promise<void>;
  /** Logs which fields have changed since the last application, and applies nothing. */
  report(): Promise<void>;
}

/** Creates a {@link ConfigurationReload}. */
export function createReload(
  { logger, log, agent, load }: ReloadPorts,
  initial: ReloadedConfiguration['loaded'],
): ConfigurationReload {
  /** Configuration in effect, apart from what needs a restart: the next reload names that again. */
  let current = initial;
  let last = Promise.resolve();
  const reload = async (): Promise<void> => {
    const { loaded, modules } = await load();
    const { applied, modules: concerned, needRestart } = planReload(current, loaded);
    for (const name of concerned.filter((module) => module !== 'program'))
      for (const reconfiguration of agent.contributions(reconfigurations).filter((each) => each.name === name))
        reconfiguration.apply(modules.optionsByName(name));
    if (concerned.includes('program')) {
      const { verbosity = 0, vmodule = [] } = logSettingsOf(loaded.configuration);
      log.setVerbosity(verbosity);
      log.setVmodule(vmodule);
    }
    current = loaded;
    logger.info('the configuration was read again', { applied: applied.join(', ') });
    if (needRestart.length > 0)
      logger.warn('changes of the configuration need a restart of the agent to take effect everywhere', {
        fields: needRestart.join(', '),
      });
  };
  const compare = async (): Promise<void> => {
    const { applied, needRestart } = planReload(current, (await load()).loaded);
    if (applied.length === 0 && needRestart.length === 0) return;
    const fields = { bySighup: applied.join(', '), byRestart: needRestart.join(', ') };
    logger.info('the configuration has changed, and takes effect by SIGHUP or a restart', fields);
  };
  const after = (task: () => Promise<void>, failure: string): Promise<void> => {
    last = last.then(task).catch((error: unknown) => logger.error(failure, { error: errorMessage(error) }));
    return last;
  };
  return {
    apply: () => after(reload, 'cannot apply the changed configuration, the one before stays'),
    report: () => after(compare, 'the changed configuration cannot be used'),
  };
}

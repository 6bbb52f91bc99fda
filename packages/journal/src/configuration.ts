import { type ModuleConfiguration, switchSetting } from '@rxlet/agent-api/configuration';
import { journal, type JournalOptions } from './journal-module.ts';

/** Setting with the flag `--plain-conditions`: an option that a kubelet does not have. */
const plainConditions = switchSetting(
  'plainConditions',
  'report no message in the condition PodReadyToStartContainers, as a kubelet',
);

/** Configuration of the module `journal`. */
export const journalConfiguration: ModuleConfiguration<JournalOptions> = {
  name: 'journal',
  settings: [plainConditions],
  defaults: {},
  options: ({ settings }) => ({ conditionMessages: settings.get(plainConditions) !== true }),
  module: journal,
};

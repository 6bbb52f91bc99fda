import type { ModuleConfiguration } from '@rxlet/agent-api/configuration';
import { journal, type JournalOptions } from './journal-module.ts';

/** Configuration of the module `journal`. */
export const journalConfiguration: ModuleConfiguration<JournalOptions> = {
  name: 'journal',
  defaults: {},
  module: journal,
};

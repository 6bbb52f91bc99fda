export { journal, type JournalOptions } from './journal-module.ts';
export { createJournalStore, type JournalStore, type JournalStoreLimits } from './store/journal-store.ts';

/** The login manager of systemd, which announces shutdowns and delays them. */
export interface Logind {
  /** Connects. Rejects when there is none. */
  connect(observer: LogindObserver, signal: AbortSignal): Promise<LogindConnection>;
}

/** Receives the signals of a connection. */
export interface LogindObserver {
  /** A shutdown begins (`true`), or was cancelled (`PrepareForShutdown`). */
  prepareForShutdown(begins: boolean): void;
  /** The connection was lost. */
  lost(error: Error): void;
}

/** A connection to the login manager. */
export interface LogindConnection extends AsyncDisposable {
  /** Returns the longest delay of a shutdown (`InhibitDelayMaxUSec`), in milliseconds. */
  inhibitDelayMs(signal: AbortSignal): Promise<number>;
  /** Writes the longest delay of a shutdown into a file of the configuration, and requests that it is read. */
  overrideInhibitDelay(seconds: number, signal: AbortSignal): Promise<void>;
  /** Reports whether a shutdown has begun (`PreparingForShutdown`). */
  isPreparingForShutdown(signal: AbortSignal): Promise<boolean>;
  /** Takes a lock that delays shutdowns until it is disposed of. */
  inhibitShutdown(signal: AbortSignal): Promise<AsyncDisposable>;
}

/** What a check is about. */
export type Area =
  | 'node'
  | 'configuration'
  | 'files'
  | 'proxies'
  | 'github'
  | 'provider'
  | 'daemon'
  | 'events'
  | 'state'
  | 'socket'
  | 'runners';

/** What one check has found. */
export interface Finding {
  readonly area: Area;
  readonly result: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** The cure; empty where nothing is wrong. */
  readonly hint: string;
}

/** What `doctor` prints with --json. */
export interface DoctorDocument {
  /** Whether no check found an error. */
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
}

export const fine = (area: Area, message: string): Finding => ({ area, result: 'ok', message, hint: '' });

export const warning = (area: Area, message: string, hint: string): Finding => ({
  area,
  result: 'warning',
  message,
  hint,
});

export const wrong = (area: Area, message: string, hint: string): Finding => ({ area, result: 'error', message, hint });

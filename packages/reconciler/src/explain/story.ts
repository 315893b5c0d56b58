import type { RungarEvent } from '@rungar/model';
import type { ProviderStatus, RunnerView, ScaleSetStatus } from '../status.js';
import type { ScaleSetPlan } from './scale-set-plan.js';

/** What is to be explained. */
export type Subject = { readonly kind: 'runner' | 'scale_set' | 'provider'; readonly name: string } | JobSubject;

/** A job whose story is told. */
export interface JobSubject {
  readonly kind: 'job';
  /** As it was asked for. */
  readonly name: string;
  /** Its id in the messages of GitHub, which events carry as `job_id`. */
  readonly id?: string;
  /** The workflow run it is of, with its repository: every job of the run is meant where no id is known. */
  readonly run?: { readonly repository: string; readonly id: number };
  /** The labels it asks for, where they are known. */
  readonly labels?: readonly string[];
}

/** Who said or did something. */
export type Teller = 'github' | 'provider' | 'rungar';

/** One sentence of a story. */
export interface StoryEntry {
  /** Epoch milliseconds: GitHub's own clock for what GitHub tells, else this host's. */
  readonly time: number;
  readonly by: Teller;
  /** The runner, scale set or provider it is about. */
  readonly about: string;
  readonly text: string;
  /** For a program: what the sentence rests on. */
  readonly facts: Readonly<Record<string, string>>;
}

/** What became of something, in the order of time, and how it stands. */
export interface Story {
  readonly kind: Subject['kind'];
  readonly name: string;
  /** How it stands now, in sentences, the most important first. */
  readonly now: readonly string[];
  readonly entries: readonly StoryEntry[];
  /** Earlier entries that are left out. */
  readonly leftOut: number;
}

/** How things stand; absent where only the past is known. */
export interface Present {
  readonly scaleSets: readonly ScaleSetStatus[];
  readonly providers: readonly ProviderStatus[];
  readonly runners: readonly RunnerView[];
  /** By scale set: of those that the subject has to do with. */
  readonly plans: ReadonlyMap<string, ScaleSetPlan>;
}

/** What a story is told from. */
export interface ExplainFacts {
  /** Oldest first. */
  readonly events: readonly RungarEvent[];
  readonly present?: Present;
  /** How many entries are told at most, the newest; 200 unless given. */
  readonly limit?: number;
}

/** The page that the server shows to people. */
export interface Page {
  /** All of it: it loads nothing but the API. */
  readonly html: string;
  /** Its content security policy. */
  readonly policy: string;
}

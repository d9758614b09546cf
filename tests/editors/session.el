;;; Emacs with the language server, without a screen: opens a model with a mistake, sees it, and writes what came, a line
;;; each. The settings are those of the book. Run by tests/tests/editors.rs.
(require 'eglot)
(defvar program (getenv "NARROWS_BIN"))
(defvar folder (getenv "NARROWS_FOLDER"))

(define-derived-mode promela-mode prog-mode "Promela")
(add-to-list 'auto-mode-alist '("\\.pml\\'" . promela-mode))
(add-to-list 'eglot-server-programs `((promela-mode) . (,program "lsp")))

(defun say (format &rest values)
  (write-region (concat (apply #'format format values) "\n") nil (concat folder "/said.txt") t 'quiet))

(defun await (what condition)
  (let ((end (+ (float-time) 120)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (say "waited in vain for %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(setq eglot-sync-connect 120
      eglot-connect-timeout 120
      flymake-no-changes-timeout 0.1)
(find-file (concat folder "/model.pml"))
(apply #'eglot (eglot--guess-contact))
(flymake-mode 1)
(await "the mistake" (lambda () (progn (flymake-start) (flymake-diagnostics))))
(let ((mistake (car (flymake-diagnostics))))
  (say "mistake %d %s" (line-number-at-pos (flymake-diagnostic-beg mistake))
       (car (split-string (flymake-diagnostic-text mistake) "\n"))))

(goto-char (point-min))
(search-forward "coumt")
(replace-match "count")
(eglot--signal-textDocument/didChange)
(await "no mistake" (lambda () (progn (flymake-start) (null (flymake-diagnostics)))))
(say "mended")

(goto-char (point-min))
(search-forward "count < 3" nil nil 1)
(goto-char (match-beginning 0))
(let ((found (car (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))))
  (say "definition %d" (xref-location-line (xref-item-location found))))
(kill-emacs 0)
